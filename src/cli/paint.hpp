#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace bristle::cli {

enum class Stream { out, error };
enum class Paint { bold, good, bad, quiet };

/// The text in a colour if the stream is a terminal that shows colours; NO_COLOR and TERM=dumb switch them off.
std::string painted(std::string_view text, Paint paint, Stream stream = Stream::out);

/// Columns of the terminal, at most 120; 80 without one.
std::size_t screen_width();

}  // namespace bristle::cli
