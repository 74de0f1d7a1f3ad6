#include <fmt/format.h>

#include <filesystem>

#include "base/escape.hpp"
#include "bristle/registry/describe.hpp"
#include "export/describe.hpp"
#include "export/pictures.hpp"
#include "export/writers.hpp"

namespace bristle::exports {
namespace {

/// Words that Markdown and HTML leave as they are.
std::string md(std::string_view text) {
  std::string out;
  for (const char c : escape(one_line_of(text))) {
    if (std::string_view("\\`*_[]|#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// The name of a file between < and > of a link.
std::string target(std::string_view file) {
  std::string out;
  for (const char c : file) {
    if (static_cast<unsigned char>(c) < 0x20 || std::string_view("<>\\%").find(c) != std::string_view::npos)
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

std::string parameter_table(const Block& block) {
  const bool fitted = !block.remarks.empty();
  std::string out = fitted ? "| parameter | value | unit | 95 % interval | meaning |\n|---|---:|---|---|---|\n"
                           : "| parameter | value | unit | meaning |\n|---|---:|---|---|\n";
  for (const Parameter& p : parameters_of(block)) {
    std::string interval = p.interval;
    if (!p.identifiable) interval += interval.empty() ? "not identifiable" : "; not identifiable";
    if (p.at_limit) interval += ", at a limit";
    out += fmt::format("| {} | {} | {} |{} {} |\n", md(p.name), md(p.shown()), md(p.unit),
                       fitted ? fmt::format(" {} |", md(interval)) : "", md(p.meaning));
  }
  return out;
}

std::string property_table(const ModelInfo& info) {
  std::string out = "| property | declared | meaning |\n|---|---|---|\n";
  for (const PropertyInfo& p : property_infos())
    out += fmt::format("| {} | {} | {} |\n", md(p.name), info.has.*p.at ? "yes" : "no", md(p.meaning));
  return out;
}

}  // namespace

Exported write_markdown(const Block& block, const Options& options) {
  const ModelInfo& info = *find_model(block.model());
  Exported out;
  out.notes = block.file.notes;
  const std::string stem = std::filesystem::path(options.out).stem().string();
  std::string text = fmt::format("# {}\n\n", md(block.title.empty() ? info.title : block.title));
  text += fmt::format("{} (`{}`), {} units. Written by {}.\n\n", md(info.title), info.name,
                      block.rotational ? "rotational" : "linear", md(provenance(block)));
  auto picture = [&](const char* name, const char* words, const plot::Figure& figure) {
    std::string svg = plot::svg(figure);
    if (options.out.empty()) {
      text += svg.substr(svg.find("<svg")) + "\n\n";
      return;
    }
    const std::string file = fmt::format("{}-{}.svg", stem, name);
    text += fmt::format("![{}](<{}>)\n\n", words, target(file));
    out.files.push_back({file, std::move(svg)});
  };
  picture("curve", "Steady friction over velocity", steady_figure(block));
  picture("loop", "Friction over displacement in a slow cycle", loop_figure(block));
  text += "## Equations\n\n```\n" + info.equations + "\n```\n\n## Parameters\n\n" + parameter_table(block);
  const std::string measured = measured_text(block);
  text += fmt::format("\nMeasured range: {}.\n\n", measured.empty() ? "not known" : md(measured));
  text +=
      fmt::format("Passive with these parameters: {}. Condition: {}.\n\n", passive_text(block), md(info.passive_if));
  text += "## Properties\n\nDeclared by the model; `bristle certify` measures them.\n\n" + property_table(info);
  text += "\n## Notes\n\n" + md(info.notes) + "\n\n## References\n\n";
  for (const std::string& r : info.references) text += "- " + md(r) + "\n";
  out.files.insert(out.files.begin(), File{"", std::move(text)});
  return out;
}

}  // namespace bristle::exports
