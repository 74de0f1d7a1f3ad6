#include "text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/escape.hpp"
#include "svg.hpp"

namespace bristle::plot {
namespace {

// Advance widths from ' ' to '~' in 1/1000 of the size: the larger of Helvetica's and DejaVu Sans'.
constexpr std::array<std::uint16_t, 95> ascii_widths = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556, 1015, 684, 686, 722, 770, 667,
    611, 778, 752, 295, 500, 667, 557, 863, 748, 787, 667, 787, 722, 667,  611, 732, 684, 989, 685,
    667, 685, 390, 337, 390, 838, 556, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};
constexpr double bold_factor = 1.15;
constexpr double script_size = 0.72, raise = 0.36, lower = 0.16;  // of the size

double width_of(char32_t c) {
  if (c == '\n') return 0;
  if (c == '\t') c = ' ';
  if (c < 0x7F) return ascii_widths[static_cast<std::size_t>(c) - 32];
  if (c >= 0x300 && c < 0x370) return 0;                                          // combining
  if (c == 0xB2 || c == 0xB3 || c == 0xB9 || c == 0xB0 || c == 0xB7) return 500;  // small superscripts, degree, dot
  if (c >= 0x2070 && c < 0x20A0) return 625;                                      // other super- and subscripts
  if (c >= 0x2E80) return 1050;                                                   // CJK, symbols
  return c >= 0x370 && c < 0x400 ? 800 : 850;                                     // Greek, all else
}

/// A character, or a whole sub- or superscript.
struct Piece {
  std::string_view source, content;
  int shift = 0;  // 1 superscript, -1 subscript
};

Piece next_piece(std::string_view text) {
  if (text.size() > 2 && (text[0] == '_' || text[0] == '^')) {
    const int shift = text[0] == '^' ? 1 : -1;
    if (text[1] == '{') {
      if (const std::size_t end = text.find('}'); end != std::string_view::npos)
        return {text.substr(0, end + 1), text.substr(2, end - 2), shift};
    }
  }
  if (text.size() > 1 && text[0] == '^') {  // m/s^2, s^-1
    const std::size_t first = text[1] == '-' ? 2 : 1;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
    if (end > first) return {text.substr(0, end), text.substr(1, end - 1), 1};
  }
  std::size_t at = 0;
  decode(text, at);
  return {text.substr(0, at), text.substr(0, at)};
}

template <class Use> void each_piece(std::string_view text, Use use) {
  while (!text.empty()) {
    const Piece piece = next_piece(text);
    use(piece);
    text.remove_prefix(piece.source.size());
  }
}

double width_of(const Piece& piece, Font font) {
  double sum = 0;
  for (std::size_t at = 0; at < piece.content.size();) {
    const char32_t c = decode(piece.content, at);
    sum += width_of(piece.shift > 0 && c == '-' ? 0x2212 : c);
  }
  return sum / 1000 * font.size * (piece.shift ? script_size : 1) * (font.bold ? bold_factor : 1);
}

}  // namespace

double text_width(std::string_view text, Font font) {
  double sum = 0;
  each_piece(text, [&](const Piece& p) { sum += width_of(p, font); });
  return sum;
}

std::vector<std::string> wrap(std::string_view text, Font font, double width) {
  std::vector<std::string> lines;
  std::string line, word;
  double line_width = 0, word_width = 0;
  const double space = text_width(" ", font);
  const auto end_line = [&] {
    lines.push_back(std::move(line));
    line.clear();
    line_width = 0;
  };
  const auto end_word = [&] {
    if (word.empty()) return;
    if (!line.empty() && line_width + space + word_width > width) end_line();
    line_width += (line.empty() ? 0 : space) + word_width;
    if (!line.empty()) line += ' ';
    line += word;
    word.clear();
    word_width = 0;
  };
  each_piece(text, [&](const Piece& piece) {
    if (piece.source == " " || piece.source == "\n" || piece.source == "\t") {
      end_word();
      if (piece.source == "\n") end_line();
      return;
    }
    const double w = width_of(piece, font);
    if (!word.empty() && word_width + w > width) {
      end_word();
      end_line();
    }
    word += piece.source;
    word_width += w;
  });
  end_word();
  if (!line.empty()) end_line();
  return lines;
}

std::string rich_text(std::string_view text, double size) {
  std::string out, plain;
  double offset = 0;  // of the baseline, downwards
  const auto flush = [&](double to, double font_size) {
    if (plain.empty()) return;
    if (to == offset && font_size == size) {
      out += escape(plain);
    } else {
      out += R"(<tspan dy=")" + num(to - offset) + "\"";
      if (font_size != size) out += R"( font-size=")" + num(font_size) + "\"";
      out += ">" + escape(plain) + "</tspan>";
    }
    offset = to;
    plain.clear();
  };
  each_piece(text, [&](const Piece& piece) {
    if (!piece.shift) {
      plain += piece.source;
      return;
    }
    flush(0, size);
    for (const char c : piece.content) {
      if (c == '-' && piece.shift > 0)
        plain += "\u2212";
      else
        plain += c;
    }
    flush((piece.shift > 0 ? -raise : lower) * size, script_size * size);
  });
  flush(0, size);
  return out;
}

}  // namespace bristle::plot
