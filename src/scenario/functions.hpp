#pragma once
#include <string>
#include <vector>

/// The functions of a run that [expect] and [measure] accept.
namespace bristle::scenario {

enum class Of { columns, events, both, run, band };  // argument; run: none
std::vector<std::string> names_of(Of of);

}  // namespace bristle::scenario
