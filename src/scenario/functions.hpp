#pragma once
#include <string>
#include <vector>

/// The functions of a run that [expect] and [measure] accept.
namespace bristle::scenario {

/// Arguments; run and chain: none; sizes: two numbers.
enum class Of { columns, events, both, run, band, chain, sizes };
std::vector<std::string> names_of(Of of);

}  // namespace bristle::scenario
