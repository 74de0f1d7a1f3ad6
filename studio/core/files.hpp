#pragma once
#include <string>

/// Named texts that replace files: see files.cpp.
namespace bristle::studio {

void keep_text(const std::string& name, std::string text);
void drop_texts();
bool has_text(const std::string& name);

}  // namespace bristle::studio
