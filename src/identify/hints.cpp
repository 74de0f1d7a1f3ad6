#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "identify/diagnosis.hpp"

namespace bristle::identify {
namespace {

/// Residual of the used samples and the part of its squares that simple laws explain.
class Rest {
 public:
  Rest(const Series& data, const std::vector<double>& residuals, double scale) : data_(data) {
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      if (!(data.weight[i] > 0)) continue;
      used_.push_back(i);
      r_.push_back(std::clamp(residuals[i], -4 * scale, 4 * scale));
      squares_ += r_.back() * r_.back();
    }
  }
  /// In proportion to a column.
  template <class F> double along(const F& column) const {
    const auto [both, own] = products(column);
    return own > 0 ? both * both / (own * squares_) : 0;
  }
  /// In proportion to two columns, each with its own factor.
  template <class F, class G> double along(const F& one, const G& other) const {
    double both = 0, own = 0;
    for (const std::size_t i : used_) {
      both += one(i) * other(i);
      own += one(i) * one(i);
    }
    const double part = own > 0 ? both / own : 0;
    return along(one) + along([&](std::size_t i) { return other(i) - part * one(i); });
  }
  /// Factor of that column.
  template <class F> double slope(const F& column) const {
    const auto [both, own] = products(column);
    return own > 0 ? both / own : 0;
  }
  /// A function of the position, of either sign in both directions or with the sign of the velocity.
  double along_position(bool with_direction) const {
    std::vector<std::size_t> order(used_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(data_.x[used_[k]], k); });
    constexpr std::size_t classes = 30;
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      const std::size_t from = c * order.size() / classes, to = (c + 1) * order.size() / classes;
      double part = 0;
      for (std::size_t i = from; i < to; ++i)
        part += with_direction ? std::copysign(r_[order[i]], r_[order[i]] * data_.v[used_[order[i]]]) : r_[order[i]];
      if (to > from) sum += part * part / static_cast<double>(to - from);
    }
    return sum / squares_;
  }
  /// At rest: of the samples, of the squares.
  std::pair<double, double> at_rest() const {
    double rows = 0, squares = 0;
    for (std::size_t k = 0; k < used_.size(); ++k) {
      if (data_.v[used_[k]] != 0) continue;
      rows += 1 / static_cast<double>(used_.size());
      squares += r_[k] * r_[k] / squares_;
    }
    return {rows, squares};
  }
  bool usable() const { return used_.size() >= 30 && squares_ > 0; }

 private:
  template <class F> std::pair<double, double> products(const F& column) const {
    double both = 0, own = 0;
    for (std::size_t k = 0; k < used_.size(); ++k) {
      const double c = column(used_[k]);
      both += r_[k] * c;
      own += c * c;
    }
    return {both, own};
  }
  const Series& data_;
  std::vector<std::size_t> used_{};
  std::vector<double> r_{};
  double squares_ = 0;
};

/// Shift of the computed force that agrees best with the measured one, and the part of the squared residual that it
/// explains. Hysteresis is a lag along the displacement, which a shift in time explains in part only.
struct Delay {
  int rows = 0;
  double share = 0;
};
Delay delay_of(const Series& data, const std::vector<double>& residuals) {
  if (data.steady() || data.fine) return {};
  constexpr int far = 40;
  constexpr double clear = 0.6;
  auto squares = [&](int lag) {
    double sum = 0;
    for (const Stretch& stretch : data.stretches) {
      if (stretch.to - stretch.from < std::size_t{10} * far) continue;
      for (std::size_t i = stretch.from + far; i + far < stretch.to; ++i) {
        const std::size_t k = lag > 0 ? i - static_cast<std::size_t>(lag) : i + static_cast<std::size_t>(-lag);
        if (data.weight[i] > 0) sum += std::pow(data.y[i] - (data.y[k] - residuals[k]), 2);
      }
    }
    return sum;
  };
  const double now = squares(0);
  if (!(squares(1) < 0.98 * now) && !(squares(-1) < 0.98 * now)) return {};
  Delay out;
  for (int lag = -far; lag <= far; ++lag) {
    const double share = 1 - squares(lag) / now;
    if (share > std::max(clear, out.share)) out = {lag, share};
  }
  return out;
}

}  // namespace

std::string delay_note(const std::vector<Candidate*>& all, const std::string& recommended) {
  const auto chosen = std::ranges::find(all, recommended, [](const Candidate* c) { return c->fit.model; });
  if (chosen == all.end()) return "";
  for (const Candidate* c : all) {
    const auto late = std::ranges::find(c->fit.tests, "delay", &ResidualTest::name);
    if (c == *chosen || late == c->fit.tests.end()) continue;
    const double shifted = c->fit.rmse * std::sqrt(std::max(0.0, 1 - late->statistic));
    if (shifted < 0.7 * (*chosen)->fit.rmse)
      return fmt::format("{} may describe a delay as friction: for {}, {}", recommended, c->fit.model, late->text);
  }
  return "";
}

void add_hints(Candidate& c, const Setting& s, const std::vector<double>& residuals) {
  const Series& data = s.data;
  const Rest rest(data, residuals, c.scale);
  if (data.motion || !rest.usable()) return;
  auto fitted = [&](std::string_view name) {
    return std::ranges::find(c.fit.effects, name, &Entry::key) != c.fit.effects.end();
  };
  auto depends = [&](std::string_view name) -> ResidualTest* {
    const auto test = std::ranges::find(c.fit.tests, name, &ResidualTest::name);
    return test != c.fit.tests.end() && test->p < 0.01 ? &*test : nullptr;
  };
  const bool tried = std::ranges::find(s.options.effects, "auto") != s.options.effects.end();
  const auto [slowest, fastest] = std::ranges::minmax(data.v);
  constexpr double visible = 0.1;
  struct Option {
    const char* text;
    double share;
  };
  auto suggest = [&](ResidualTest* test, std::initializer_list<Option> options) {
    const Option& best = *std::ranges::max_element(options, {}, &Option::share);
    if (test && best.share > visible)
      test->text += fmt::format("; {} may explain {:.0f} % of it", best.text, 100 * best.share);
  };
  if (slowest < 0 && fastest > 0 && !tried && !fitted("asymmetry") && !fitted("offset")) {
    const double shift = data.inverse ? 0 : rest.along([](std::size_t) { return 1.0; });
    const double part = rest.along([&](std::size_t i) { return std::abs(data.y[i] - residuals[i]); });
    suggest(depends("velocity"), {{"--effects offset", shift}, {"--effects asymmetry", part}});
  }
  if (ResidualTest* test = depends("position"); test && !data.steady()) {
    const bool arm = data.inverse && data.rotational && s.options.gravity == Gravity::none;
    const double gravity = arm ? rest.along([&](std::size_t i) { return std::sin(data.x[i]); }) +
                                     rest.along([&](std::size_t i) { return std::cos(data.x[i]); })
                               : 0;
    const bool waves = !tried && !fitted("ripple") && !fitted("cogging");
    suggest(test, {{"--gravity sine", std::min(gravity, 1.0)},
                   {"--effects cogging", waves && !(gravity > visible) ? rest.along_position(false) : 0},
                   {"--effects ripple", waves && !(gravity > visible) ? rest.along_position(true) : 0}});
  }
  // A ripple changes its sign with the direction, so that its mean over both directions may vanish.
  if (!data.steady() && !tried && !fitted("ripple") && !depends("position")) {
    const double ripple = rest.along_position(true);
    if (ripple > 3 * visible)
      c.fit.tests.push_back({"direction", ripple, 0,
                             fmt::format("the residual depends on position, with the sign of the velocity; --effects "
                                         "ripple may explain {:.0f} % of it",
                                         100 * ripple)});
  }
  if (ResidualTest* test = depends("time"); test && !data.steady()) {
    std::vector<double> time(data.size(), 0.0);
    for (const Stretch& stretch : data.stretches) {
      for (std::size_t i = stretch.from + 1; i < stretch.to; ++i) time[i] = time[i - 1] + data.dt[i];
    }
    double mean = 0;
    for (const double t : time) mean += t / static_cast<double>(time.size());
    suggest(test, {{"a linear drift (--with drift=COLUMN, the column of the time)",
                    rest.along([&](std::size_t i) { return time[i] - mean; })}});
  }
  const auto [coldest, hottest] = std::ranges::minmax(data.T);
  const bool heated = std::ranges::any_of(c.fit.effects, [](const Entry& e) { return e.key.starts_with("heat."); });
  if (hottest > coldest && !data.inverse && !data.steady() && !heated) {
    const double middle = (coldest + hottest) / 2;
    const double share = rest.along(
        [&](std::size_t i) {
          return (data.T[i] - middle) * (data.v[i] > 0 ? 1 : data.v[i] < 0 ? -1 : 0);
        },
        [&](std::size_t i) { return (data.T[i] - middle) * data.v[i]; });
    if (share > visible)
      c.fit.tests.push_back({"temperature", share, 0,
                             fmt::format("dry and viscous friction change differently with the temperature, which "
                                         "explains {:.0f} % of the squared residual; --effects heat fits both",
                                         100 * share)});
  }
  // Friction that grows in both directions has no mean residual in time.
  if (!data.steady() && !data.inverse && s.features.reversals > 3) {
    std::vector<double> place(data.size(), 0.0);
    for (std::size_t i = 0; i < place.size(); ++i)
      place[i] = 2 * static_cast<double>(i) / static_cast<double>(place.size()) - 1;
    auto grown = [&](std::size_t i) { return place[i] * (data.y[i] - residuals[i]); };
    const double share = rest.along(grown), slope = rest.slope(grown);
    if (share > 3 * visible)
      c.fit.tests.push_back(
          {"running-in", share, 0,
           fmt::format("friction changes by {:.2g} % from the beginning to the end of the data (wear, "
                       "temperature): this explains {:.0f} % of the squared residual; the values are "
                       "means, --train or parts of the recording show the change",
                       200 * slope, 100 * share)});
  }
  if (const Delay late = delay_of(data, residuals); late.rows != 0)
    c.fit.tests.push_back(
        {"delay", late.share, 0,
         fmt::format("the force is {:.3g} ms {} against the motion: shifted by this time, the model "
                     "explains {:.0f} % of the squared residual; the channels may not be synchronous",
                     1e3 * std::abs(late.rows) * s.features.dt, late.rows > 0 ? "late" : "early", 100 * late.share)});
  const auto [rows, squares] = rest.at_rest();
  if (rows > 0 && squares > 0.5 && squares > 2 * rows)
    c.fit.tests.push_back(
        {"rest", squares, 0,
         fmt::format("{:.0f} % of the squared residual lie in the {:.0f} % of rows at rest, where the applied force "
                     "determines friction; --scenario simulates the body",
                     100 * squares, 100 * rows)});
}

}  // namespace bristle::identify
