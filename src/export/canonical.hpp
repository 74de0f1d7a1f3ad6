#pragma once
#include <memory>
#include <string>

#include "bristle/registry/any.hpp"

namespace bristle::exports {

/// The text of a contact in its initial state as `serialise` writes it, without effects that are neutral.
std::string canonical_text(const AnyContact& contact);

}  // namespace bristle::exports
