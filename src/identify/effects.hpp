#pragma once
#include <memory>
#include <string>
#include <vector>

#include "identify/candidate.hpp"

/// Effects in fits: those identifiable from the data, and starting values.
namespace bristle::identify {

/// Effects that the data may show, each by its first field.
std::vector<std::string> visible_effects(const Series& s);
/// Effects given by the user, without "auto"; throws BadInput for effects that the data cannot show.
std::vector<std::string> named_effects(const Options& options, const Series& s);

/// Whether an effect is a wave along x.
bool is_wave(const std::string& effect);
/// Whether an effect is a free curve along x.
bool is_curve(const std::string& effect);
/// Parameters that a model accepts for negative motion alone: `levels` of force and viscous friction, or the others.
std::vector<std::string> directed_parameters(const std::string& model, bool levels);

/// Starting values of an effect from the residual of a fit. Empty for a wave without a dominant period, unless
/// `wanted`. The entry "directions" stands for parameters of the model, which `extended` fills in.
Table hint(const std::string& effect, const Candidate& c, const Setting& s, bool wanted);
/// The candidate with more effects, starting from its present values; effects in `known` keep their values.
std::unique_ptr<Candidate> extended(const Candidate& c, const Table& effects, const Setting& s,
                                    const std::vector<std::string>& known = {});
/// The candidate in another shape, starting from the values of those parameters that both have.
std::unique_ptr<Candidate> reshaped(const Candidate& c, Shape shape, const Setting& s);

}  // namespace bristle::identify
