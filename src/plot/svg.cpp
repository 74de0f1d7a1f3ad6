#include "svg.hpp"

#include <fmt/format.h>

#include <array>

namespace bristle::plot {

void append_text(std::string& out, Point at, std::string_view text, const TextStyle& style) {
  if (style.upwards) {
    out += fmt::format("<text transform=\"translate({} {}) rotate(-90)\"", num(at.x), num(at.y));
  } else {
    out += fmt::format(R"(<text x="{}" y="{}")", num(at.x), num(at.y));
  }
  if (style.font.size != Font{}.size) out += fmt::format(R"( font-size="{}")", num(style.font.size));
  if (style.font.bold) out += R"( font-weight="bold")";
  if (style.anchor != "start") out += fmt::format(R"( text-anchor="{}")", style.anchor);
  if (!style.color.empty()) out += fmt::format(R"( fill="{}")", style.color);
  out += fmt::format(">{}</text>\n", rich_text(text, style.font.size));
}

void append_rect(std::string& out, const Box& box, std::string_view attributes) {
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", num(box.x), num(box.y), num(box.w),
                     num(box.h), attributes);
}

std::string_view palette(int i) {  // Okabe and Ito: distinct for colour-blind readers; the dark ones first
  constexpr std::array<std::string_view, 7> colors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                      "#E69F00", "#56B4E9", "#000000"};
  constexpr int n = static_cast<int>(colors.size());
  return colors[static_cast<std::size_t>((i % n + n) % n)];
}

std::string dash_pattern(int i, double width) {
  constexpr std::array<std::array<double, 4>, 4> patterns = {
      {{}, {4.5, 2.2, 4.5, 2.2}, {5, 1.8, 1.2, 1.8}, {1.2, 1.6, 1.2, 1.6}}};  // in line widths
  const auto& p = patterns[static_cast<std::size_t>((i % 4 + 4) % 4)];
  if (p[0] == 0) return "";
  return fmt::format("{} {} {} {}", num(p[0] * width), num(p[1] * width), num(p[2] * width), num(p[3] * width));
}

}  // namespace bristle::plot
