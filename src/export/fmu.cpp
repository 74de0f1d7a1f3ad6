#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "bristle/output.hpp"
#include "export/fmu_xml.hpp"
#include "export/writers.hpp"
#include "export/zip.hpp"

namespace bristle::exports {
namespace {

/// The platforms of binaries and the names of their folders in FMI 2 and 3.
struct Platform {
  const char *fmi3, *fmi2, *ending;
};
constexpr std::array platforms{Platform{"x86_64-linux", "linux64", ".so"}, Platform{"x86_64-windows", "win64", ".dll"}};

bool given(double x) { return !std::isnan(x); }

/// Settings besides the friction block, as lines for the binary.
std::string settings_of(const Block& block, bool body) {
  const FittedPart& f = block.file.fitted;
  std::string out = fmt::format("token = {}\nkind = {}\n", block.sha256, body ? "body" : "friction");
  if (!body) return out;
  auto line = [&](const char* key, double x) {
    if (given(x) && x != 0) out += fmt::format("{} = {}\n", key, to_text(x));
  };
  line("mass", f.mass);
  if (given(f.gravity) && given(f.gravity_phase)) {
    line("gravity", std::abs(f.gravity));
    line("gravity_phase", f.gravity_phase + (f.gravity < 0 ? std::numbers::pi : 0));
  }
  line("offset", f.constant_force());
  return out;
}

}  // namespace

Exported write_fmu(const Block& block, const Options& options) {
  Exported out;
  auto wrong = [&](std::string text) {
    out.problems.push_back({block.file.path, std::move(text)});
    return out;
  };
  const int version = options.version == 0 ? 3 : options.version;
  if (version != 2 && version != 3) return wrong(fmt::format("--version = {} must be 2 or 3", options.version));
  const FittedPart& fitted = block.file.fitted;
  const bool has_mass = given(fitted.mass) && fitted.mass > 0;
  const std::string kind = !options.kind.empty() ? options.kind : has_mass ? "body" : "friction";
  if (kind != "body" && kind != "friction") return wrong(fmt::format("--kind = {} must be friction or body", kind));
  const bool body = kind == "body";
  const std::string settings = settings_of(block, body);
  element::Unit unit;
  if (const std::string error = unit.load(block.canonical, settings); !error.empty()) return wrong(error);

  std::vector<File> files;
  files.push_back({"modelDescription.xml", {}});
  for (const Platform& p : platforms) {
    const std::string path = fmt::format("{}/fmu/{}/bristle{}", options.resources, p.fmi3, p.ending);
    try {
      files.push_back({fmt::format("binaries/{}/bristle{}", version == 2 ? p.fmi2 : p.fmi3, p.ending),
                       read_file(path, std::size_t{64} << 20)});
    } catch (const FileError&) {
      if (p.fmi2 == std::string_view("linux64"))
        return wrong(fmt::format("the binary of FMUs is missing; it should be {}", path));
    }
  }
  files.push_back({"resources/friction.txt", block.canonical});
  files.push_back({"resources/unit.txt", settings});
  files.front().bytes = model_description(unit, block, version);
  out.notes = block.file.notes;
  if (body && !has_mass)
    out.notes.emplace_back("mass = 1 kg: the file has no [fitted] mass; set the parameter mass of the FMU");
  for (const Entry& e : fitted.terms) out.notes.push_back(fmt::format("without the fitted term {}", e.key));
  out.files.push_back({"", zip(files)});
  return out;
}

}  // namespace bristle::exports
