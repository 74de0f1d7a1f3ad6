#include "bristle/identify/joints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "identify/evaluator.hpp"
#include "identify/least_squares.hpp"

namespace bristle::identify {
namespace {

/// One fitted number: a parameter of the contact of a joint, and those that follow it.
struct Free {
  std::size_t contact;
  std::string joint, name, unit;
  double start;
  Range range;
  std::vector<std::pair<std::string, double>> also{};  // keys with their factors
};

/// A parameter in a relation: a constant, or a multiple of a fitted number.
struct Operand {
  double factor = 1;
  std::ptrdiff_t of = -1;
  double at(const std::vector<double>& x) const { return of < 0 ? factor : factor * x[static_cast<std::size_t>(of)]; }
  bool free() const { return of >= 0; }
  void set(std::vector<double>& x, double value) const { x[static_cast<std::size_t>(of)] = value / factor; }
};

/// A relation a >= b or a <= b/c of which the model refuses the other side. There, a is at the limit (b if a is known):
/// the cost is flat, not infinite, and a search does not stop in front of it.
struct Tie {
  bool above;
  double margin;  // relative
  Operand a{}, b{}, c{};

  const Operand& moved() const { return a.free() ? a : b; }
  double limit(const std::vector<double>& x) const {
    const double towards = above == a.free() ? 1 + margin : 1 - margin;
    if (!a.free()) return a.at(x) * c.at(x) * towards;
    return b.at(x) / c.at(x) * towards;
  }
  void keep(std::vector<double>& x) const {
    const double at = moved().at(x), bound = limit(x);
    if (above == a.free() ? at < bound : at > bound) moved().set(x, bound);
  }
  bool active(const std::vector<double>& x, std::size_t i) const {
    return moved().of == static_cast<std::ptrdiff_t>(i) && std::abs(moved().at(x) / limit(x) - 1) < 1e-6;
  }
};

constexpr int primes[]{2, 3, 5, 7, 11, 13, 17, 19, 23, 29};  // their roots spread points evenly

struct Minimum {
  std::vector<double> q{};
  double cost = inf;
  bool converged = false;
};

class Fitting {
 public:
  Fitting(const Rig& rig, const std::vector<JointRecording>& recordings, const JointOptions& options)
      : rig_(rig), recordings_(recordings), options_(options) {
    base_.reserve(rig.experiment.contacts.size());
    for (const NamedContact& c : rig.experiment.contacts) base_.push_back({c.name, c.contact->clone(), c.normal_load});
    apply_fixed();
    choose();
    relate();
    for (const JointRecording& r : recordings_) {
      for (const Column& c : r.columns) {
        if (std::ranges::find(out_.columns, c.name, &JointFit::Of::name) == out_.columns.end())
          out_.columns.push_back({c.name, c.unit, 0, 0});
      }
    }
    spreads();
  }

  JointFit run() {
    for (JointFit::Of& c : out_.columns) scale_.push_back(c.spread);
    std::vector<double> r;
    if (!residuals(std::vector<double>(free_.size()), r, true)) throw RunFailed(failure_);
    const std::size_t n = free_.size();
    if (r.size() <= n)
      throw BadInput(fmt::format("{} measured values do not determine {} parameters; --free names fewer", r.size(), n));
    std::vector<Minimum> found;
    for (const std::vector<double>& q : starts()) {  // more than two if these disagree
      std::vector<double> costs(found.size());
      std::ranges::transform(found, costs.begin(), &Minimum::cost);
      if (costs.size() > 1 && std::ranges::max(costs) <= 1.05 * std::ranges::min(costs)) break;
      found.push_back(polished(search(q, 25, 1e-4), 1e-6));
    }
    Minimum best = *std::ranges::min_element(found, {}, &Minimum::cost);
    for (int round = 0; round < 2; ++round) {  // columns have the same weight, then the weight of their errors
      best = search(std::move(best.q), 60, 1e-10);
      out_.converged = best.converged;
      residuals(best.q, r, true);
      if (round == 0) {
        least_ = best.cost;
        reweigh();
      }
    }
    const std::vector<double>& q = best.q;
    intervals(q);
    compare(found);
    judge();
    out_.experiment = experiment(q);
    return std::move(out_);
  }

 private:
  void apply_fixed() {
    for (const Entry& e : options_.fixed) {
      const auto [contact, name] = place(e.key, "--fix");
      base_[contact].contact->set(name, e.value);
    }
  }
  /// The contact and the parameter of JOINT.PARAMETER.
  std::pair<std::size_t, std::string> place(const std::string& key, const char* option) const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < base_.size(); ++i) {
      for (const FieldInfo& f : find_model(base_[i].contact->model())->parameters) {
        all.push_back(base_[i].name + "." + f.name);
        if (all.back() == key) return {i, f.name};
      }
    }
    const std::string near = nearest(key, all);
    throw BadInput(fmt::format(
        "{} {}: unknown parameter; {}", option, key,
        near.empty() ? fmt::format("one of {}", fmt::join(all, ", ")) : fmt::format("did you mean '{}'?", near)));
  }
  /// Other optional parameters are fitted on request.
  static bool usual(const AnyContact& c, const std::string& name) {
    const auto model = evaluator(std::string(c.model()), {});
    const auto& all = model->scalars();
    const auto found = std::ranges::find(all, name, &Scalar::name);
    return found == all.end() || (found->role & role::optional) == 0 || (found->role & role::sought) != 0;
  }
  void choose() {
    std::vector<std::string> zero;
    for (std::size_t i = 0; i < base_.size(); ++i) {
      const AnyContact& c = *base_[i].contact;
      for (const FieldInfo& f : find_model(c.model())->parameters) {
        const std::string key = base_[i].name + "." + f.name;
        const bool asked = std::ranges::find(options_.free, key) != options_.free.end();
        const bool fixed = std::ranges::any_of(options_.fixed, [&](const Entry& e) { return e.key == key; });
        if (asked && fixed) throw BadInput(fmt::format("{} is both in --free and in --fix; one is accepted", key));
        if (asked ? false : fixed || !f.fitted || !usual(c, f.name) || !options_.free.empty()) continue;
        const Value value = c.parameter(f.name);
        const double* x = value.as<double>();
        if (!x || f.kind != Kind::real) {
          if (asked) throw BadInput(fmt::format("--free {}: must be a parameter with one number", key));
          continue;
        }
        if (!(*x > 0) || !std::isfinite(*x)) {
          if (asked)
            throw BadInput(
                fmt::format("--free {}: the scenario must give a starting value > 0, not {}", key, to_text(*x)));
          zero.push_back(key);
          continue;
        }
        const bool follows = !f.follows.empty() && *x == f.factor * number(c, f.follows);
        if (follows && !asked) continue;
        Free one{i, base_[i].name, f.name, f.unit, *x, f.range};
        for (const FieldInfo& g : find_model(c.model())->parameters) {
          const Value other = c.parameter(g.name);
          if (g.follows == f.name && other.as<double>() && *other.as<double>() == g.factor * *x)
            one.also.emplace_back(g.name, g.factor);
        }
        free_.push_back(std::move(one));
      }
    }
    for (const std::string& key : options_.free) place(key, "--free");
    if (free_.empty())
      throw BadInput(fmt::format("{}: no parameter to fit; a joint with [joint.friction] is required", rig_.name));
    if (!zero.empty())
      out_.notes.push_back(fmt::format("not fitted, as the scenario gives no value > 0: {}", fmt::join(zero, ", ")));
  }
  Operand operand(std::size_t contact, const std::string& name) const {
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (free_[i].contact != contact) continue;
      if (free_[i].name == name) return {1, static_cast<std::ptrdiff_t>(i)};
      for (const auto& [key, factor] : free_[i].also) {
        if (key == name) return {factor, static_cast<std::ptrdiff_t>(i)};
      }
    }
    return {number(*base_[contact].contact, name)};
  }
  void relate() {
    constexpr double strictly = 1e-9;
    for (std::size_t i = 0; i < base_.size(); ++i) {
      for (const RelationInfo& r : find_model(base_[i].contact->model())->relations) {
        if (r.bond != Bond::above && r.bond != Bond::strictly_above && r.bond != Bond::fraction) continue;
        Tie tie{r.bond != Bond::fraction, r.bond == Bond::above ? 0 : strictly};
        tie.a = operand(i, r.fields[0]);
        tie.b = operand(i, r.fields[1]);
        if (r.fields.size() > 2) tie.c = operand(i, r.fields[2]);
        const bool numbers = tie.a.factor > 0 && tie.b.factor > 0 && tie.c.factor > 0;  // not those of arrays
        if (numbers && tie.a.of != tie.b.of && tie.moved().free()) ties_.push_back(tie);
      }
    }
    for (const Free& f : free_) {
      constexpr double widest = 12;  // of a logarithm
      box_.lo.push_back(f.range.lo > 0 ? std::max(-widest, std::log(f.range.lo / f.start)) : -widest);
      box_.hi.push_back(std::min(widest, std::log(f.range.hi / f.start)));
    }
  }
  /// The parameters at q that the model accepts.
  std::vector<double> values(const std::vector<double>& q) const {
    std::vector<double> x(free_.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::clamp(free_[i].start * std::exp(q[i]), free_[i].range.lo, free_[i].range.hi);
    for (const Tie& tie : ties_) tie.keep(x);
    return x;
  }
  /// From where the cost is flat, back to the limit.
  void project(std::vector<double>& q) const {
    box_.clamp(q);
    const std::vector<double> x = values(q);
    for (std::size_t i = 0; i < x.size(); ++i) q[i] = std::log(x[i] / free_[i].start);
    box_.clamp(q);
  }
  static double number(const AnyContact& c, const std::string& name) {
    const Value v = c.parameter(name);
    return v.as<double>() ? *v.as<double>() : NAN;
  }
  /// Throws BadInput for parameters that the model refuses.
  Experiment experiment(const std::vector<double>& q) const {
    const Experiment& of = rig_.experiment;
    Experiment e;
    e.kind = of.kind;
    e.body = of.body;
    e.solver = of.solver;
    e.method = of.method;
    e.own = of.own;
    for (const NamedContact& c : base_) e.contacts.push_back({c.name, c.contact->clone(), c.normal_load});
    std::vector<Table> tables(base_.size());
    const std::vector<double> all = values(q);
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const double x = all[i];
      tables[free_[i].contact].push_back({free_[i].name, x});
      for (const auto& [key, factor] : free_[i].also) tables[free_[i].contact].push_back({key, factor * x});
    }
    for (std::size_t i = 0; i < tables.size(); ++i) e.contacts[i].contact->set(tables[i]);
    return e;
  }
  std::size_t index_of(const std::string& column) const {
    return static_cast<std::size_t>(std::ranges::find(out_.columns, column, &JointFit::Of::name) -
                                    out_.columns.begin());
  }
  /// Weighted errors of all recordings; false if the mechanism does not run with these parameters.
  bool residuals(const std::vector<double>& q, std::vector<double>& r, bool keep = false) {
    r.clear();
    if (keep) out_.predicted.clear();
    try {
      for (const JointRecording& rec : recordings_) {
        Experiment e = experiment(q);
        e.solver.duration = std::max(rec.t.back(), 1e-9);
        ++out_.simulations;
        const Run run = simulate(e, {.probes = rec.t, .stop = options_.stop, .rows = false});
        std::vector<Column> predicted;
        for (const Column& c : rec.columns) {
          const std::vector<double>& y = run.probes.find(c.name)->values;
          for (std::size_t k = 0; k < y.size(); ++k) {
            if (!std::isnan(c.values[k])) r.push_back((y[k] - c.values[k]) / scale_[index_of(c.name)]);
          }
          if (keep) predicted.push_back({c.name, c.unit, y});
        }
        if (keep) out_.predicted.push_back(std::move(predicted));
      }
    } catch (const RunFailed& e) {
      failure_ = e.what();
      return false;
    } catch (const BadInput& e) {
      failure_ = e.what();
      return false;
    }
    out_.rows = r.size();
    return std::ranges::all_of(r, [](double x) { return std::isfinite(x); });
  }
  double cost(const double* q) {
    std::vector<double> r;
    if (!residuals({q, q + free_.size()}, r)) return inf;
    double sum = 0;
    for (const double x : r) sum += x * x;
    return sum / 2;
  }
  bool gram(const double* at, Gram& out) {
    const std::size_t n = free_.size();
    std::vector<double> q(at, at + n);
    std::vector<std::vector<double>> columns(n + 1);
    if (!residuals(q, columns[n])) return false;
    constexpr double h = 1e-4;  // of a logarithm: well above the errors of the solver
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> up, down;
      const double high = std::min(at[i] + h, box_.hi[i]), low = std::max(at[i] - h, box_.lo[i]);
      q[i] = high;
      const bool above = residuals(q, up);
      q[i] = low;
      const bool below = residuals(q, down);
      q[i] = at[i];
      if (!above && !below) return false;
      columns[i].resize(columns[n].size());
      for (std::size_t k = 0; k < columns[n].size(); ++k)
        columns[i][k] = ((above ? up[k] : columns[n][k]) - (below ? down[k] : columns[n][k])) /
                        ((above ? high : at[i]) - (below ? low : at[i]));
    }
    out.matrix.assign((n + 1) * (n + 1), 0);
    for (std::size_t i = 0; i <= n; ++i) {
      for (std::size_t j = 0; j <= n; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < columns[n].size(); ++k) sum += columns[i][k] * columns[j][k];
        out.matrix[i * (n + 1) + j] = sum;
      }
    }
    out.cost = out.matrix.back() / 2;
    return true;
  }
  /// The values of the scenario with the best factors, a common one and then one by one; the best ones of values spread
  /// over a factor of ten to each side.
  std::vector<std::vector<double>> starts() {
    const std::size_t n = free_.size();
    std::vector<double> near(n);
    double least = cost(near.data());
    auto attempt = [&](std::vector<double> q) {
      project(q);
      if (const double c = cost(q.data()); c < least) least = c, near = std::move(q);
    };
    constexpr double factors[]{0.25, 0.5, 2.0, 4.0};
    for (const double factor : factors) attempt(std::vector<double>(n, std::log(factor)));
    for (std::size_t i = 0; i < n && n > 1; ++i) {
      const double centre = near[i];
      for (const double factor : factors) {
        std::vector<double> q = near;
        q[i] = centre + std::log(factor);
        attempt(std::move(q));
      }
    }
    std::vector<Minimum> spread;
    for (std::size_t k = 1; k <= 4 + 3 * n; ++k) {
      std::vector<double> q(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double turn = static_cast<double>(k) * std::sqrt(static_cast<double>(primes[i % std::size(primes)]));
        q[i] = std::log(10.0) * (2 * (turn - std::floor(turn)) - 1);
      }
      project(q);
      if (const double c = cost(q.data()); std::isfinite(c)) spread.push_back({std::move(q), c});
    }
    std::ranges::sort(spread, {}, &Minimum::cost);
    std::vector<std::vector<double>> out{near};
    for (std::size_t k = 0; k < std::min<std::size_t>(4, spread.size()); ++k) out.push_back(spread[k].q);
    return out;
  }
  Minimum search(std::vector<double> q, int iterations, double tolerance) {
    project(q);
    const Solution s =
        least_squares([&](const double* at, Gram& g) { return gram(at, g); },
                      [&](const double* at) { return cost(at); }, box_, std::move(q), iterations, tolerance);
    Minimum out{s.q, inf, s.converged};
    project(out.q);
    out.cost = cost(out.q.data());
    return out;
  }
  /// Small steps are no proof of a minimum, as events make the cost rough and a small parameter has no effect on a
  /// logarithmic scale: no single parameter may lower the cost.
  Minimum polished(Minimum m, double tolerance) {
    for (int round = 0; round < 4; ++round) {
      Minimum lower = m;
      for (std::size_t i = 0; i < free_.size(); ++i) {
        for (const double step : {-3.0, -0.3, 0.3, 3.0}) {
          std::vector<double> q = m.q;
          q[i] += step;
          project(q);
          if (const double c = cost(q.data()); c < lower.cost) lower = {q, c, false};
        }
      }
      if (!(lower.cost < (1 - 1e-4) * m.cost)) return m;
      m = search(std::move(lower.q), 60, tolerance);
    }
    m.converged = false;
    return m;
  }
  bool at_limit(const std::vector<double>& q, std::size_t i) const {
    const std::vector<double> x = values(q);
    return q[i] - box_.lo[i] < 1e-6 || box_.hi[i] - q[i] < 1e-6 ||
           std::ranges::any_of(ties_, [&](const Tie& tie) { return tie.active(x, i); });
  }
  /// Other minima: with the same error they belong to the intervals, with a larger one they are a warning.
  void compare(const std::vector<Minimum>& found) {
    std::size_t worse = 0;
    std::vector<std::string> open;
    for (const Minimum& m : found) {
      if (!std::isfinite(m.cost)) continue;
      const std::vector<double> x = values(m.q);
      const bool same = m.cost <= 1.01 * least_;
      bool differs = false;
      for (std::size_t i = 0; i < x.size(); ++i) {
        JointEstimate& e = out_.parameters[i];
        if (!e.identifiable || (x[i] >= e.low && x[i] <= e.high) || std::abs(x[i] / e.value - 1) < 0.01) continue;
        differs = true;
        if (!same) continue;
        e.low = std::min(e.low, x[i]);
        e.high = std::max(e.high, x[i]);
        e.identifiable = std::log(e.high / e.low) < 4;
        const std::string name = e.joint + "." + e.name;
        if (std::ranges::find(open, name) == open.end()) open.push_back(name);
      }
      worse += differs && !same ? 1 : 0;
    }
    if (!open.empty())
      out_.notes.push_back(
          fmt::format("starting points lead to different values of {} with the same error; the intervals contain them",
                      fmt::join(open, ", ")));
    if (worse > 0)
      out_.notes.push_back(
          fmt::format("starting points disagree: {} of {} lead to other values with larger errors, and "
                      "the smallest error is reported; starting values near the truth are safer",
                      worse, found.size()));
  }
  /// As for other fits: errors above half the spread explain nothing.
  void judge() {
    double squares = 0;
    for (const JointFit::Of& c : out_.columns) {
      const double part = c.rmse / c.spread;
      squares += part * part / static_cast<double>(out_.columns.size());
      if (part > 0.5)
        out_.notes.push_back(
            fmt::format("column {} is not explained: its error is {:.3g} % of its spread", c.name, 100 * part));
      constexpr double systematic = 0.6, visible = 1e-3;
      if (const double rho = neighbours(c.name); part > visible && part <= 0.5 && rho > systematic)
        out_.notes.push_back(fmt::format(
            "errors of column {} are systematic ({:.3g} % of its spread, correlation of neighbours {:.2f}): the "
            "laws do not explain all of it, or the search ended in a wrong minimum; other starting values may help",
            c.name, 100 * part, rho));
    }
    out_.relative_error = std::sqrt(squares);
    out_.explains = out_.relative_error <= 0.5;
  }
  /// Correlation of neighbouring errors of a column.
  double neighbours(const std::string& name) const {
    double product = 0, squares = 0;
    for (std::size_t i = 0; i < recordings_.size(); ++i) {
      for (std::size_t c = 0; c < recordings_[i].columns.size(); ++c) {
        if (recordings_[i].columns[c].name != name) continue;
        double before = std::numeric_limits<double>::quiet_NaN();
        for (std::size_t k = 0; k < recordings_[i].t.size(); ++k) {
          const double e = out_.predicted[i][c].values[k] - recordings_[i].columns[c].values[k];
          if (!std::isnan(e)) squares += e * e;
          if (!std::isnan(e) && !std::isnan(before)) product += e * before;
          before = e;
        }
      }
    }
    return squares > 0 ? product / squares : 0;
  }
  void spreads() {
    for (JointFit::Of& of : out_.columns) {
      double n = 0, sum = 0, squares = 0;
      for (const JointRecording& r : recordings_) {
        for (const Column& c : r.columns) {
          if (c.name != of.name) continue;
          for (const double y : c.values) {
            if (!std::isnan(y)) ++n, sum += y, squares += y * y;
          }
        }
      }
      of.spread = n > 0 ? std::sqrt(std::max(0.0, squares / n - sum * sum / n / n)) : 0;
      if (!(of.spread > 0)) of.spread = n > 0 && sum != 0 ? std::abs(sum / n) : 1;
    }
  }
  void errors() {
    for (JointFit::Of& of : out_.columns) {
      double n = 0, squares = 0;
      for (std::size_t i = 0; i < recordings_.size(); ++i) {
        for (std::size_t c = 0; c < recordings_[i].columns.size(); ++c) {
          if (recordings_[i].columns[c].name != of.name) continue;
          for (std::size_t k = 0; k < recordings_[i].t.size(); ++k) {
            const double e = out_.predicted[i][c].values[k] - recordings_[i].columns[c].values[k];
            if (!std::isnan(e)) ++n, squares += e * e;
          }
        }
      }
      of.rmse = n > 0 ? std::sqrt(squares / n) : 0;
    }
  }
  void reweigh() {
    errors();
    for (std::size_t i = 0; i < scale_.size(); ++i)
      scale_[i] = std::max(out_.columns[i].rmse, 1e-7 * out_.columns[i].spread);
  }
  void intervals(const std::vector<double>& q) {
    errors();
    const auto n = static_cast<Eigen::Index>(free_.size());
    Gram g;
    const bool known = gram(q.data(), g);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    double correlated = 1;
    if (known) {
      for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) A(i, j) = g.matrix[static_cast<std::size_t>(i * (n + 1) + j)];
      }
      correlated = inflation(q);
    }
    const double size = A.diagonal().maxCoeff();
    A.diagonal().array() += 1e-14 * size + 1e-300;  // a parameter without effect gets a very wide interval
    const Eigen::MatrixXd C = A.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
    const double variance =
        2 * g.cost / std::max(1.0, static_cast<double>(out_.rows) - static_cast<double>(n)) * correlated;
    const std::vector<double> x = values(q);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Free& f = free_[k];
      const double sigma = std::sqrt(std::max(0.0, C(i, i) * variance));
      JointEstimate e{f.joint, f.name, f.unit, f.start, x[k]};
      e.low = std::max(f.range.lo, x[k] * std::exp(-1.96 * sigma));
      e.high = std::min(f.range.hi, x[k] * std::exp(1.96 * sigma));
      e.at_limit = at_limit(q, k);
      e.identifiable = known && sigma < 1 && A(i, i) > 1e-12 * size && !e.at_limit;
      if (e.at_limit)
        out_.notes.push_back(fmt::format("{}.{} = {:.6g} is at a limit: not determined", f.joint, f.name, x[k]));
      out_.parameters.push_back(std::move(e));
    }
  }
  /// Neighbouring errors that are correlated carry less information.
  double inflation(const std::vector<double>& q) {
    std::vector<double> r;
    residuals(q, r);
    double product = 0, squares = 0;
    for (std::size_t k = 1; k < r.size(); ++k) product += r[k] * r[k - 1], squares += r[k] * r[k];
    const double rho = squares > 0 ? std::clamp(product / squares, 0.0, 0.98) : 0;
    return (1 + rho) / (1 - rho);
  }

  const Rig& rig_;
  const std::vector<JointRecording>& recordings_;
  const JointOptions& options_;
  std::vector<NamedContact> base_{};
  std::vector<Free> free_{};
  std::vector<Tie> ties_{};
  Box box_{};           // of the logarithms of the factors
  double least_ = inf;  // cost with equal weights of the columns
  std::vector<double> scale_{};
  std::string failure_{};
  JointFit out_{};
};

}  // namespace

JointRecording joint_recording(const Trace& table, const std::string& name, const Rig& rig) {
  const std::vector<Column> known = rig.experiment.own->columns(rig.experiment);
  JointRecording out{.name = name};
  const Column* t = table.find("t");
  if (!t) throw BadInput(fmt::format("{}: no column t (s), the time from the start of the mechanism", name));
  std::vector<std::string> ignored, names;
  for (const Column& c : known) names.push_back(c.name);
  std::vector<const Column*> used;
  for (const Column& c : table.columns) {
    if (&c == t) continue;
    const auto at = std::ranges::find(known, c.name, &Column::name);
    if (at == known.end()) {
      ignored.push_back(c.name);
      continue;
    }
    if (!c.unit.empty() && c.unit != "1" && c.unit != at->unit)
      throw BadInput(fmt::format("{}: column {} is in {}; {} is accepted", name, c.name, c.unit, at->unit));
    used.push_back(&c);
    out.columns.push_back({c.name, at->unit});
  }
  if (used.empty())
    throw BadInput(
        fmt::format("{}: no column of the mechanism {}; accepted: {}", name, rig.name,
                    fmt::join(std::span(names).subspan(1, std::min<std::size_t>(names.size() - 1, 12)), ", ")));
  std::size_t skipped = 0;
  for (std::size_t k = 0; k < t->values.size(); ++k) {
    const double at = t->values[k];
    const bool any = std::ranges::any_of(used, [&](const Column* c) { return std::isfinite(c->values[k]); });
    if (!std::isfinite(at) || !any) {
      ++skipped;
      continue;
    }
    if (at < 0)
      throw BadInput(fmt::format("{}: t = {} s in row {}; times from 0 on are accepted", name, to_text(at), k + 1));
    if (!out.t.empty() && !(at > out.t.back()))
      throw BadInput(fmt::format("{}: t does not increase at t = {} s (row {})", name, to_text(at), k + 1));
    out.t.push_back(at);
    for (std::size_t c = 0; c < used.size(); ++c)
      out.columns[c].values.push_back(std::isfinite(used[c]->values[k]) ? used[c]->values[k] : NAN);
  }
  if (out.t.size() < 2) throw BadInput(fmt::format("{}: fewer than two rows with numbers", name));
  if (!ignored.empty())
    out.notes.push_back(fmt::format("columns that the mechanism does not have: {}", fmt::join(ignored, ", ")));
  if (skipped > 0) out.notes.push_back(fmt::format("{} rows without numbers skipped", skipped));
  return out;
}

JointFit identify_joints(const Rig& rig, const std::vector<JointRecording>& recordings, const JointOptions& options) {
  if (!rig.experiment.own) throw BadInput(fmt::format("{}: is not a mechanism", rig.name));
  if (rig.experiment.contacts.empty())
    throw BadInput(fmt::format("{}: no joint has friction; a joint with [joint.friction] is required", rig.name));
  if (recordings.empty()) throw BadInput("no recording");
  return Fitting(rig, recordings, options).run();
}

}  // namespace bristle::identify
