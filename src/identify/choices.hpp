#pragma once
#include <string>
#include <vector>

#include "bristle/registry/describe.hpp"
#include "identify/series.hpp"

/// Models to fit, and the options that refer to their parameters.
namespace bristle::identify {

/// The models of the options, or all that the data can distinguish; throws BadInput for unknown names.
std::vector<std::string> chosen_models(const Options& options, const Series& s);
/// Why a model cannot be fitted; empty if it can.
std::string unfitted(const std::string& model);
/// Whether a model is fitted unless models are given: random ones cannot reproduce a recording, populations take minutes.
bool fitted_unnamed(const ModelInfo& model);
/// The variants of models by name, without those that a fixed choice excludes.
std::vector<std::string> variants_of(const std::vector<std::string>& models, const Options& options);
/// Throws BadInput if --fix, --with, --prior or --free refer to names that are not fitted or taken. `effects`: those
/// that are fitted.
void check_choices(const Options& options, const std::vector<std::string>& models,
                   const std::vector<std::string>& effects, const Series& s);

}  // namespace bristle::identify
