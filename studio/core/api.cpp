/// The boundary of the page: a few C functions. One request at a time; parallel work takes several instances.
#include <array>
#include <cstdlib>
#include <new>
#include <string_view>

#include "bristle/simulate.hpp"
#include "core/answer.hpp"
#include "core/files.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name), visibility("default"))) auto name

extern "C" __attribute__((import_module("page"), import_name("progress"))) void page_progress(double done,
                                                                                              const char* about,
                                                                                              std::size_t size);

namespace bristle::studio {
namespace {

std::string text;  // of the last answer
Answer last;

struct Entry {
  const char* name;
  Answer (*answer)(const Json&);
};
constexpr std::array entries{Entry{"models", models},
                             Entry{"schema", schema},
                             Entry{"check", check},
                             Entry{"reference", reference},
                             Entry{"document", document},
                             Entry{"simulate", simulate},
                             Entry{"experiments", experiments},
                             Entry{"findings", findings},
                             Entry{"recording", recording},
                             Entry{"identify", fit},
                             Entry{"population", population},
                             Entry{"advance", advance}};

Answer refused(const Problems& problems) {
  Answer out;
  out.json["problems"] = to_json(problems);
  return out;
}

/// Nothing is thrown across the boundary.
Answer answered(std::string_view request) {
  try {
    const Json json = Json::parse(request);
    const std::string name = text_in(json, "do");
    for (const Entry& e : entries) {
      if (name == e.name) return e.answer(json);
    }
    return refused({{"", "unknown request '" + name + "'"}});
  } catch (const Refused& r) { return refused(r.problems); } catch (const std::bad_alloc&) {
    return refused({{"", "out of memory"}});
  } catch (const std::exception& e) { return refused({{"", e.what()}}); }
}

}  // namespace

void tell(double done, const std::string& about) { page_progress(done, about.data(), about.size()); }

}  // namespace bristle::studio

using namespace bristle::studio;

EXPORT(bristle_alloc)(std::size_t n)->void* { return std::malloc(n); }
EXPORT(bristle_free)(void* p)->void { std::free(p); }
/// A named text that later requests read as a file; size 0 and name "" forget all of them.
EXPORT(bristle_file)(const char* name, std::size_t name_size, const char* from, std::size_t size)->void {
  if (name_size == 0) return drop_texts();
  keep_text({name, name_size}, {from, size});
}
/// Answers a request in JSON; the pointer to the answer holds until the next call.
EXPORT(bristle_call)(const char* request, std::size_t size)->const char* {
  last = {};
  last = answered({request, size});
  text = last.json.dump(-1, ' ', false, Json::error_handler_t::replace);
  last.json = nullptr;
  return text.c_str();
}
EXPORT(bristle_size)()->std::size_t { return text.size(); }
EXPORT(bristle_arrays)()->std::size_t { return last.arrays.size(); }
EXPORT(bristle_array)(std::size_t i)->const double* { return last.arrays[i].data(); }
EXPORT(bristle_length)(std::size_t i)->std::size_t { return last.arrays[i].size(); }
