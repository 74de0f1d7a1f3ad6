#pragma once

/// The script of pages with figures: values under the pointer, zoom. Inline, without a framework or a network.
namespace bristle::report {

extern const char* const explore_script;

}  // namespace bristle::report
