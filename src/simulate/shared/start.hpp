#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bristle/simulate.hpp"

/// Contacts at the start of a run, for other rooms that look for steady sliding and cycles.
namespace bristle {

/// The contact with these initial states, by name; nullptr if it refuses them.
std::unique_ptr<AnyContact> starting_from(const AnyContact& contact, const std::vector<Variable>& states);

/// Brings a contact into steady sliding at this motion and adds its force; the reason why it cannot, or "".
std::string steady_contact(NamedContact& c, const Motion<double>& u, double& force);

}  // namespace bristle
