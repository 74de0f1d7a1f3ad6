#include <algorithm>

#include "trace/cells.hpp"

namespace bristle::csv {
namespace {

void append(std::string& out, unsigned code) {
  const auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      byte(0xE0 | (code >> 12));
    } else {
      byte(0xF0 | (code >> 18));
      byte(0x80 | ((code >> 12) & 0x3F));
    }
    byte(0x80 | ((code >> 6) & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

bool is_utf8(std::string_view text) {
  std::size_t more = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (more > 0) {
      if ((byte & 0xC0) != 0x80) return false;
      --more;
    } else if (byte >= 0x80) {
      if (byte < 0xC2 || byte > 0xF4) return false;
      more = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    }
  }
  return more == 0;
}

}  // namespace

std::string utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  for (const char c : text) append(out, static_cast<unsigned char>(c));
  return out;
}

std::string_view Decoder::operator()(std::string_view piece) {
  if (form_ == Form::unknown && !piece.empty()) {
    form_ = Form::bytes;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(i < piece.size() ? piece[i] : 1); };
    if (piece.starts_with("\xEF\xBB\xBF")) {
      piece.remove_prefix(3);
    } else if (piece.starts_with("\xFF\xFE") || (at(1) == 0 && at(3) == 0 && at(0) != 0)) {
      form_ = Form::little;
    } else if (piece.starts_with("\xFE\xFF") || (at(0) == 0 && at(2) == 0 && at(1) != 0)) {
      form_ = Form::big;
    }
  }
  if (form_ == Form::bytes) return piece;
  out_.clear();
  for (const char c : piece) {
    const int byte = static_cast<unsigned char>(c);
    if (half_ < 0) {
      half_ = byte;
      continue;
    }
    unit(static_cast<unsigned>(form_ == Form::little ? byte << 8 | half_ : half_ << 8 | byte));
    half_ = -1;
  }
  return out_;
}

void Decoder::unit(unsigned value) {
  if (value == 0xFEFF) return;  // byte order mark
  if (value >= 0xD800 && value < 0xDC00) {
    high_ = value;
  } else if (value >= 0xDC00 && value < 0xE000) {
    if (high_ != 0) append(out_, 0x10000 + ((high_ - 0xD800) << 10) + (value - 0xDC00));
    high_ = 0;
  } else {
    append(out_, value);
    high_ = 0;
  }
}

}  // namespace bristle::csv
