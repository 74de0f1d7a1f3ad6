#pragma once
#include <string_view>

/// Sentences and examples of the reference that no field list contains.
namespace bristle::scenario {

struct Prose {
  const char* about = "";
  const char* example = "";  // TOML; with `frame` a scenario that the reader accepts
};
/// Of a section "drive", or of a word "drive.kind=sine"; nullptr: none.
const Prose* prose_of(std::string_view path);

/// A scenario to which an example is added; sections of the example replace those of the frame.
extern const char* const frame;

}  // namespace bristle::scenario
