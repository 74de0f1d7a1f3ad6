#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/export.hpp"
#include "export/writers.hpp"

namespace bristle::exports {

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"fmu", "a simulation unit for FMI 2 or 3", ".fmu", false, Reads::version | Reads::kind, write_fmu},
      {"mujoco", "the actuator of a MuJoCo model that gives a joint this friction", ".xml", true, Reads::joint,
       write_mujoco},
      {"c", "C99 header for controllers", ".h", true, Reads::none, write_c},
      {"modelica", "Modelica model of a smooth law", ".mo", true, Reads::none, write_modelica},
      {"mjcf", "numbers of a MuJoCo joint by least squares", ".xml", true, Reads::joint | Reads::range, write_mjcf},
      {"urdf", "numbers of a URDF joint by least squares", ".urdf", true, Reads::joint | Reads::range, write_urdf},
      {"json", "everything about the block, for other programs", ".json", true, Reads::none, write_json},
      {"markdown", "data sheet with pictures", ".md", true, Reads::none, write_markdown},
  };
  return all;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> out;
  for (const Kind& k : kinds()) out.emplace_back(k.name);
  return out;
}

const Kind* find_kind(std::string_view name) {
  const auto at = std::ranges::find(kinds(), name, &Kind::name);
  return at == kinds().end() ? nullptr : &*at;
}

Exported write(const Kind& kind, const Block& block, const Options& options) {
  Exported out;
  auto wrong = [&](std::string text) { out.problems.push_back({"", std::move(text)}); };
  const struct {
    unsigned bit;
    const char* name;
    bool given;
  } known[]{{Reads::version, "--version", options.version != 0},
            {Reads::kind, "--kind", !options.kind.empty()},
            {Reads::joint, "--joint", !options.joint.empty()},
            {Reads::range, "--range", !options.range.empty()}};
  for (const auto& o : known) {
    if (!o.given || (kind.reads & o.bit) != 0) continue;
    std::string accepting;
    for (const Kind& k : kinds()) {
      if ((k.reads & o.bit) != 0) accepting += (accepting.empty() ? "" : ", ") + std::string(k.name);
    }
    wrong(fmt::format("{} is not read by the kind {}; accepted by: {}", o.name, kind.name, accepting));
  }
  if (!kind.text && options.out.empty())
    wrong(fmt::format("-o OUT{} is required for the kind {}", kind.ending, kind.name));
  if (const std::string reason = refusal(block); !reason.empty()) out.problems.push_back({block.file.path, reason});
  if (!out.problems.empty()) return out;
  out = kind.write(block, options);
  const FittedPart& fitted = block.file.fitted;
  auto without = [&](const char* key, double x, bool carried) {
    if (!std::isnan(x) && x != 0 && !carried && out.problems.empty())
      out.notes.push_back(
          fmt::format("without [fitted] {} = {}, which is not part of the friction block", key, to_text(x)));
  };
  const std::string_view name = kind.name;
  if (name == "json") return out;  // it lists [fitted]
  const bool body = name == "fmu" && options.kind != "friction" && (options.kind == "body" || fitted.mass > 0);
  without("trend", fitted.trend, false);
  without("offset", fitted.offset, body);
  without("gravity", fitted.gravity, body);
  return out;
}

}  // namespace bristle::exports
