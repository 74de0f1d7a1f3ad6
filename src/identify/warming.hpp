#pragma once
#include <memory>
#include <string>
#include <vector>

#include "identify/candidate.hpp"

/// Heat of friction in fits: the keys of [friction.heat] as the effect `heat`. The temperature is the measured one, or it follows
/// from the measured friction power; then friction alone shows its laws relative to the capacity only, which must be given.
namespace bristle::identify {

inline constexpr std::string_view heat_effect = "heat";
bool is_warming(std::string_view key);
/// Whether the data contain a temperature.
bool measures_temperature(const Series& s);

/// The model at the temperature; `heat`: keys "heat.NAME" with starting values.
std::unique_ptr<Evaluator> warming_evaluator(std::unique_ptr<Evaluator> inner, const Table& heat, const Series& s);
Guess warming_guess(std::string_view name, double value);
/// Throws BadInput if heat cannot be fitted to these data.
void require_warming(const Options& options, const Series& s);
Table warming_hint(const std::string& model, const Setting& s);
/// Capacity and conductance from a measured temperature; marks numbers of the heat that the recordings do not determine.
void finish_warming(Fit& fit, const std::vector<Recording>& recordings, const Options& options,
                    std::vector<std::string>& notes);

}  // namespace bristle::identify
