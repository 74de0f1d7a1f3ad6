#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "bristle/registry/describe.hpp"
#include "export/c_models.hpp"
#include "export/c_plan.hpp"
#include "export/describe.hpp"
#include "export/writers.hpp"
#include "report/shared/labels.hpp"

namespace bristle::exports {
namespace {

/// Keeps the lines whose flag holds, and fills in names.
std::string expanded(std::string_view text, const std::string& name, const Flags& flags, std::size_t elements,
                     const std::string& holds) {
  std::string upper = name, out;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with('?') || line.starts_with('!')) {
      std::size_t n = 1;
      while (n < line.size() && (std::isalpha(static_cast<unsigned char>(line[n])) != 0 || line[n] == '_')) ++n;
      if (flags.contains(std::string(line.substr(1, n - 1))) != line.starts_with('?')) continue;
      if (n < line.size() && line[n] == ' ') ++n;
      line.remove_prefix(n);
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string_view rest = line.substr(i);
      if (rest.starts_with("@HOLDS")) {
        out += holds;
        i += 5;
      } else if (rest.starts_with("@N")) {
        out += std::to_string(elements);
        i += 1;
      } else if (rest.starts_with("@_") && rest.size() > 2 && std::isupper(static_cast<unsigned char>(rest[2])) != 0) {
        out += upper;
      } else if (line[i] == '@') {
        out += name;
      } else if (rest.starts_with("$(")) {
        out += upper + "_N(";
        i += 1;
      } else if (line[i] == '$') {
        const std::size_t open = rest.find('(');
        out += fmt::format("{}_M({})", upper, rest.substr(1, open - 1));
        i += open - 1;
      } else {
        out += line[i];
      }
    }
    out += '\n';
  }
  return out;
}

/// Text in a comment of C: it cannot end the comment, open another one or form a trigraph.
std::string in_comment(std::string_view text) {
  std::string out = one_line_of(text);
  auto separate = [&](std::string_view pair) {
    for (std::size_t at = 0; (at = out.find(pair, at)) != std::string::npos; ++at) out.insert(at + 1, " ");
  };
  separate("*/");
  separate("/*");
  separate("??");
  if (!out.empty() && out.back() == '\\') out += '.';
  return out;
}

/// A comment wrapped at 115 columns, each line with the indent.
void add_comment(std::string& out, std::string_view text, std::string_view indent = " * ") {
  const std::string words = in_comment(text);
  std::string line;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string_view word = std::string_view(words).substr(at, end - at);
    if (!line.empty() && line.size() + word.size() > 110) {
      out += std::string(indent) + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
    at = end + 1;
  }
  out += std::string(indent) + line + "\n";
}
void add_lines(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += " *   " + in_comment(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
}

std::string number(double x) {
  std::string out = to_text(x);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

std::string head_of(const Block& block, const Plan& plan) {
  const ModelInfo& info = *find_model(block.model());
  std::string out = "/*\n";
  add_comment(out, fmt::format("{}: {}", plan.name, block.title.empty() ? info.title : block.title));
  add_comment(out, "Written by " + provenance(block));
  out += " *\n";
  add_comment(out, info.title + ":");
  add_lines(out, info.equations);
  out += " *\n";
  add_comment(out, block.rotational ? "Parameters (m is rad, N is N m in the equations):" : "Parameters:");
  auto list = [&](const std::vector<Parameter>& all, const char* where) {
    for (const Parameter& p : all) {
      std::string line = fmt::format("{}{} = {} {}: {}", where, p.name, p.value.text(), p.unit, p.meaning);
      if (!p.interval.empty()) line += "; 95 %: " + p.interval;
      if (!p.identifiable) line += "; not identifiable from its recordings";
      add_comment(out, line, " *   ");
    }
  };
  list(plan.parameters, "");
  list(plan.negative, "negative.");
  list(plan.effects, "");
  for (const std::string& f : plan.fixed) add_comment(out, f + ", compiled in", " *   ");
  const std::string measured = measured_text(block);
  add_comment(out, "Measured range: " + (measured.empty() ? "not known" : measured));
  add_comment(out,
              fmt::format("Passive with these parameters: {}; condition: {}", passive_text(block), info.passive_if));
  if (*plan.model->worst) add_comment(out, plan.model->worst);
  std::string upper = plan.name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  out += " *\n";
  add_comment(out,
              fmt::format("C99, math.h alone, no heap, no globals. Double precision; with {}_FLOAT defined before the "
                          "header is included, single precision. The order of operations is that of the library: with "
                          "-ffp-contract=off and the same math.h, the bits are the same.",
                          upper));
  out += " *\n";
  add_lines(out, fmt::format("{0}_params p;\n{0}_state s;\n{0}_init(&p, &s);\nF = {0}_step(&p, &s, {0}_at(x, v), dt);",
                             plan.name));
  return out + " */\n";
}

std::string types_of(const Block& block, const Plan& plan) {
  // Names of equal letters and digits, or of equal first 40 characters, give the same prefix.
  const std::string number_of_block = "0x" + block.sha256.substr(0, 8);
  std::string out = "#if defined(@_H) && @_H != " + number_of_block;
  out += "\n#error \"two friction blocks have the prefix @; export one of them to a file of another name\"\n#endif\n";
  out += "#ifndef @_H\n#define @_H " + number_of_block;
  out += R"(
#include <math.h>

#ifdef @_FLOAT
typedef float @_real;
typedef unsigned int @_bits;
#define @_M(function) function##f
#define @_EPSILON 0x1p-23
#define @_BISECTIONS 24
#define @_BINADES (32U << 23)
#define @_LEAST 0x1p-60f
#define @_MOST HUGE_VALF
#else
typedef double @_real;
typedef unsigned long long @_bits;
#define @_M(function) function
#define @_EPSILON 0x1p-52
#define @_BISECTIONS 58
#define @_BINADES (64ULL << 52)
#define @_LEAST 0x1p-956
#define @_MOST 1e100
#endif
#define @_N(number) ((@_real)(number))
typedef char @_bits_are_as_wide[sizeof(@_bits) == sizeof(@_real) ? 1 : -1];
typedef union {
  @_real x;
  @_bits bits;
} @_word;
)";
  if (plan.elements > 0)
    out += fmt::format("typedef unsigned {} @_flags; /* one bit per element */\n",
                       plan.elements > 32 ? "long long" : "int");
  auto members = [&](const std::vector<Parameter>& all) {
    for (const Parameter& p : all) {
      const auto* list = p.value.as<std::vector<double>>();
      const std::string size = list ? fmt::format("[{}]", list->size()) : "";
      out += fmt::format("  @_real {}{}; /* {}{}{} */\n", p.name, size, p.unit, p.unit.empty() ? "" : ", ",
                         in_comment(p.meaning));
    }
  };
  const bool directed = plan.flags.contains("directed");
  out += "\ntypedef struct {\n";
  members(plan.parameters);
  if (directed)
    out += "} @_law;\ntypedef struct {\n  @_law positive, negative; /* of the two directions of motion */\n";
  members(plan.effects);
  if (!directed) out += "} @_params;\ntypedef @_params @_law;\n";
  if (directed) out += "} @_params;\n";
  out += "\n/* Input; for a step at its end, with constant v. */\ntypedef struct {\n";
  out += fmt::format("  @_real x;     /* displacement, {0} */\n  @_real v;     /* sliding velocity, {0}/s */\n",
                     block.rotational ? "rad" : "m");
  out +=
      "  @_real F_app; /* force to hold at rest; only set-valued laws read it */\n  @_real r;     /* normal load over nominal load */\n} @_motion;\n";
  out += "\ntypedef struct {\n";
  const Table initial = block.contact().initial();
  for (const Entry& e : initial) {
    const auto* list = e.value.as<std::vector<double>>();
    out += fmt::format("  @_real {}{};\n", e.key, list ? fmt::format("[{}]", list->size()) : "");
  }
  out += plan.model->state;
  if (initial.empty() && !*plan.model->state) out += "  char none; /* this law remembers nothing */\n";
  return out + "} @_state;\n";
}

std::string init_of(const Block& block, const Plan& plan) {
  std::string out =
      "\n/* Parameters of the file and the initial state. */\nstatic inline void @_init(@_params* p, @_state* s) {\n";
  auto set = [&](const std::string& to, const Value& value) {
    if (const auto* list = value.as<std::vector<double>>()) {
      for (std::size_t i = 0; i < list->size(); ++i)
        out += fmt::format("  {}[{}] = $({});\n", to, i, number((*list)[i]));
    } else {
      out += fmt::format("  {} = $({});\n", to, number(*value.as<double>()));
    }
  };
  const bool directed = plan.flags.contains("directed");
  for (const Parameter& p : plan.parameters) set((directed ? "p->positive." : "p->") + p.name, p.value);
  if (directed) out += "  p->negative = p->positive;\n";
  for (const Parameter& p : plan.negative) set("p->negative." + p.name, p.value);
  for (const Parameter& p : plan.effects) set("p->" + p.name, p.value);
  const Table initial = block.contact().initial();
  for (const Entry& e : initial) set("s->" + e.key, e.value);
  const std::string_view state = plan.model->state;
  for (const char* member : {"slips", "phase", "dir"}) {
    if (state.find(fmt::format(" {};", member)) != std::string_view::npos) out += fmt::format("  s->{} = 0;\n", member);
  }
  if (initial.empty() && state.empty()) out += "  s->none = 0;\n";
  return out +
         "}\n/* Motion at nominal load. */\nstatic inline @_motion @_at(@_real x, @_real v) {\n  @_motion u;\n  u.x = x;\n"
         "  u.v = v;\n  u.F_app = $(0);\n  u.r = $(1);\n  return u;\n}\n";
}

}  // namespace

Exported write_c(const Block& block, const Options& options) {
  Exported out;
  const Plan plan = plan_of(block, options, out.problems);
  if (!out.problems.empty()) return out;
  std::string text = types_of(block, plan) + init_of(block, plan) + c_helpers + plan.model->code;
  text += plan.flags.contains("effects") ? c_effects : c_no_effects;
  text += std::string(c_calls) + c_couple;
  if (block.model() == "lugre") text += c_lugre_observer;
  if (block.model() == "gms") text += c_gms_observer;
  text += "\n";
  for (const char* macro : {"M", "N", "EPSILON", "BINADES", "LEAST", "MOST"})
    text += fmt::format("#undef @_{}\n", macro);
  text += "#endif\n";
  out.files.push_back(
      {"", head_of(block, plan) + expanded(text, plan.name, plan.flags, plan.elements, plan.model->holds)});
  out.notes = block.file.notes;
  return out;
}

}  // namespace bristle::exports
