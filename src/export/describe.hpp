#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bristle/export.hpp"

/// Statements about a block that all formats make.
namespace bristle::exports {

/// A parameter as written in a file, with what is known about it.
struct Parameter {
  std::string name{};  // "Fc", "effects.offset", "negative.Fs"
  std::string unit{}, meaning{};
  Value value;
  std::string interval{};  // of 95 %; "" if the file has none
  bool identifiable = true, at_limit = false;
  /// "off" for an infinite one.
  std::string shown() const {
    const double* x = value.as<double>();
    return x && *x == inf ? "off" : value.text();
  }
};
/// Those of the model, then effects that are not neutral, then those of negative motion; units as the file shows them.
std::vector<Parameter> parameters_of(const Block& block);

/// Force of steady sliding at nominal load and x = 0: the contact is driven at v until the force stays. NaN if it does not.
double steady_force(const AnyContact& contact, double v);
/// The steady curve, 61 speeds in equal ratios in both directions.
std::vector<std::pair<double, double>> steady_points(const Block& block);
/// Largest speed of interest: of the recordings, else from the scales of the model.
double top_speed(const Block& block);

/// Whether the contact never creates energy; none if the condition of its model does not decide it.
std::optional<bool> passive(const Block& block);
/// Limits of the statement: effects, laws without a known condition; "" if there are none.
std::string passive_remark(const Block& block);
/// "yes", "no" or "not decided", with the remark.
std::string passive_text(const Block& block);

/// A name for identifiers of C, Modelica and XML: letters, digits and _, from the output or the file.
std::string identifier(const Block& block, const Options& options);
/// In one line without control characters.
std::string one_line_of(std::string_view text);
/// "Bristle 1.2.0 from lugre.toml, SHA-256 of the friction block 12ab..."
std::string provenance(const Block& block);
/// "v 0.001 to 0.5 m/s, T 20 to 40 degC"; "" without measurements.
std::string measured_text(const Block& block);

}  // namespace bristle::exports
