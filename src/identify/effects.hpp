#pragma once
#include <memory>
#include <string>
#include <vector>

#include "identify/candidate.hpp"

/// Effects around a model: what the data could show of them, and where to start.
namespace bristle::identify {

/// Effects that these data could show, each by its first field.
std::vector<std::string> visible_effects(const Series& s);
/// The effects the user named; throws BadInput for those that the data cannot show. "auto" names none.
std::vector<std::string> named_effects(const Options& options, const Series& s);

/// Those that are waves along x.
bool is_wave(const std::string& effect);

/// What the residual of a fit says of an effect: its fields with starting values. Nothing for a wave that does not stand
/// out, unless it is `wanted`.
Table hint(const std::string& effect, const Candidate& c, const Setting& s, bool wanted);
/// The same candidate with more effects, starting from where it stands; those that are `known` keep their values.
std::unique_ptr<Candidate> extended(const Candidate& c, const Table& effects, const Setting& s,
                                    const std::vector<std::string>& known = {});

}  // namespace bristle::identify
