#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../field.hpp"
#include "../random.hpp"

/// Distributions of the parameters of asperities. A value is drawn by inversion, x(U) with the uniform hash U of its place: with
/// one seed a population is a smooth function of the parameters of its distributions.
namespace bristle::asperity {

/// Phi^-1(p) for 0 < p < 1, to 1e-15 (Wichura, algorithm AS 241).
double normal_quantile(double p);
/// Phi(x), also far below 0.
double normal_probability(double x);

///   constant     value                                    uniform    from + (to - from) U
///   gaussian     mean + sd Phi^-1(U)                      lognormal  median exp(sd_log Phi^-1(U))
///   exponential  offset - mean ln(1 - U)                  weibull    scale (-ln(1 - U))^(1/shape)
///   table        linear through the sorted values x_0...x_n in n U
/// Truncated by from, to: U becomes P(from) + U (P(to) - P(from)).
struct Distribution {
  /// The laws of distribution.
  enum class Kind { constant, uniform, gaussian, exponential, lognormal, weibull, table };
  /// Their words in files, in the order of Kind.
  static constexpr std::array<const char*, 7> names{"constant",  "uniform", "gaussian", "exponential",
                                                    "lognormal", "weibull", "table"};
  Kind kind{Kind::constant};   // the law; the numbers below are its parameters
  double a{}, b{};             // value | - | mean, sd | mean, offset | median, sd_log | scale, shape | -
  double from{-inf}, to{inf};  // from: lower end: of the uniform law, or where another one is truncated; to: upper end
  std::shared_ptr<const std::vector<double>> values{};  // sorted

  double quantile(double U) const;     // without truncation
  double probability(double x) const;  // without truncation, of the kinds that can be truncated
  /// Whether from and to may cut this law.
  bool can_be_truncated() const { return kind != Kind::constant && kind != Kind::uniform && kind != Kind::table; }
  double lowest() const;  // ends of the support
  /// The largest value that can be drawn; infinite if there is none.
  double highest() const;
  friend bool operator==(const Distribution& a, const Distribution& b);
};

/// One key of a distribution; those of the kinds that can be truncated have `from` and `to` as well.
struct DistributionKey {
  const char* name;
  double Distribution::* at;  // the member that the key sets
  Range range;
  const char* text;
  std::optional<double> fallback{};  // value of an absent key; without it the key is required
};
/// Keys of a kind, without `values`.
std::vector<DistributionKey> keys_of(Distribution::Kind kind);

/// A distribution ready for many draws.
class Sampler {
 public:
  /// Prepares the inverse of the distribution function.
  explicit Sampler(Distribution d);
  double operator()(double U) const {  // 0 < U < 1
    const double x = d_.quantile(below_ + U * width_);
    return x < d_.from ? d_.from : x > d_.to ? d_.to : x;
  }
  /// The mean of the truncated law.
  double mean() const;
  double mean_above(double x) const;       // of max(0, X - x)
  double width() const { return width_; }  // probability between from and to
  /// The law as given.
  const Distribution& distribution() const { return d_; }

 private:
  Distribution d_;
  double below_{0}, width_{1};
};

/// U of the hash, never 0 or 1: today's uniform number and half of its rounding unit.
constexpr double inner(double uniform) { return uniform + 0x1p-54; }

/// A parameter that may have a distribution: its key, the range of its values, and the key of [friction] that it replaces.
template <class D> struct Drawn {
  const char* name;
  std::optional<Distribution> D::* at;  // the member that holds the law
  Range range;
  std::array<const char*, 1> replaces;  // keys that are not accepted together with it
};

}  // namespace bristle::asperity
