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
  enum class Kind { constant, uniform, gaussian, exponential, lognormal, weibull, table };
  static constexpr std::array<const char*, 7> names{"constant",  "uniform", "gaussian", "exponential",
                                                    "lognormal", "weibull", "table"};
  Kind kind{Kind::constant};
  double a{}, b{};  // value | - | mean, sd | mean, offset | median, sd_log | scale, shape | -
  double from{-inf}, to{inf};
  std::shared_ptr<const std::vector<double>> values{};  // sorted

  double quantile(double U) const;     // without truncation
  double probability(double x) const;  // without truncation, of the kinds that can be truncated
  bool can_be_truncated() const { return kind != Kind::constant && kind != Kind::uniform && kind != Kind::table; }
  double lowest() const;  // ends of the support
  double highest() const;
  friend bool operator==(const Distribution& a, const Distribution& b);
};

/// One key of a distribution; those of the kinds that can be truncated have `from` and `to` as well.
struct DistributionKey {
  const char* name;
  double Distribution::* at;
  Range range;
  const char* text;
  std::optional<double> fallback{};
};
/// Keys of a kind, without `values`.
std::vector<DistributionKey> keys_of(Distribution::Kind kind);

/// A distribution ready for many draws.
class Sampler {
 public:
  explicit Sampler(Distribution d);
  double operator()(double U) const {  // 0 < U < 1
    const double x = d_.quantile(below_ + U * width_);
    return x < d_.from ? d_.from : x > d_.to ? d_.to : x;
  }
  double mean() const;
  double mean_above(double x) const;       // of max(0, X - x)
  double width() const { return width_; }  // probability between from and to
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
  std::optional<Distribution> D::* at;
  Range range;
  std::array<const char*, 1> replaces;
};

}  // namespace bristle::asperity
