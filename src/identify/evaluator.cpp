#include "identify/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "bristle/dual.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"

namespace bristle::identify {
namespace {

constexpr std::size_t width = 8;    // directions in one pass
constexpr std::size_t block = 256;  // samples
using Slopes = Dual<double, width>;

/// A contact along the motion, in one scalar type.
template <class C> struct Traveller {
  using T = typename C::Scalar;
  C c;
  std::optional<Effects<T>> around{};
  typename C::State s{};
  typename C::Mode q{};
  T last{0};  // force that a set-valued law keeps at rest

  void restart() {
    s = c.rest();
    q = {};
    last = T(0);
  }
  T arrive(const Series& data, std::size_t i) {
    constexpr bool forgets = std::is_same_v<typename C::State, NoState>;  // no dependence on earlier samples
    const Motion<T> outside = motion(data, i, forgets ? data.v[i] : data.step_v[i]);
    Motion<T> u = around ? around->in(outside) : outside;
    const T dt(data.dt[i]);
    T F(0);
    if (forgets || data.held) {
      F = advance(c, s, q, u, dt);
    } else if (!data.before_jump.empty() && data.before_jump[i] > 0) {
      u.v = T(data.v[i - 1]);
      c.step(s, q, u, T(data.before_jump[i]));
      u.v = T(data.v[i]);
      F = advance(c, s, q, u, T(data.dt[i] - data.before_jump[i]));
    } else {
      c.step(s, q, u, dt);
      u.v = T(data.v[i]);
      if (side(data.step_v[i]) != side(data.v[i])) c.step(s, q, u, T(1e-9) * dt);  // updates modes to the new direction
      F = c.force(s, q, u);
    }
    if (around) F = around->out(outside, F);
    if constexpr (SetValued<C>) last = F;
    return F;
  }
  T steady(const Series& data, std::size_t i) const {
    const T F = c.steady(T(data.v[i]));
    if (!data.loaded && !around) return F;
    const Motion<T> u = motion(data, i, data.v[i]);
    const T r = around ? around->in(u).r : u.r;
    const T viscous = c.p.kv * T(data.v[i]);  // the load acts on the dry part
    const T loaded = r * (F - viscous) + viscous;
    return around ? around->out(u, loaded) : loaded;
  }

 private:
  Motion<T> motion(const Series& data, std::size_t i, double v) const {
    Motion<T> u{.x = T(data.x[i]), .v = T(v), .r = T(data.r[i]), .temperature = data.T[i], .load = T(data.load[i])};
    if constexpr (SetValued<C>) u.F_app = last;
    return u;
  }
};

template <template <class> class M> class EvaluatorOf final : public Evaluator {
 public:
  EvaluatorOf(const M<double>& c, const Effects<double>& around, const Table& effects) : c_(c), around_(around) {
    auto add = [&](const auto& f, int i, double&) {
      scalars_.push_back({i > 0 ? fmt::format("{}{}", f.name, i) : f.name, f.name, f.unit, i, f.range, f.role});
    };
    auto p = c.p;
    each_scalar(p, [&](const auto& f, int i, double& e) {
      add(f, i, e);
      scalars_.back().part = f.part();
    });
    own_ = scalars_.size();
    each_scalar(around_, [&](const auto& f, int i, double& e) {
      if (std::ranges::find(effects, f.name, &Entry::key) != effects.end()) add(f, i, e);
    });
  }
  std::string_view name() const override { return M<double>::card.name; }
  const std::vector<Scalar>& scalars() const override { return scalars_; }
  std::vector<double> values() const override {
    std::vector<double> out;
    auto p = c_.p;
    each_scalar(p, [&](const auto&, int, double& e) { out.push_back(e); });
    auto around = around_;
    each_effect(around, [&](double& e) { out.push_back(e); });
    return out;
  }
  Table effects(const double* p) const override {
    Effects<double> around = around_;
    Table out;
    std::size_t k = own_;
    each_effect(around, [&](double&) {
      out.push_back({scalars_[k].name, p[k]});
      ++k;
    });
    return out;
  }
  Table table(const double* p) const override {
    M<double> c = at(p);
    Table out;
    for (const FieldView& f : views(c.p)) {
      const Value value = f.get();
      const auto* array = value.as<std::vector<double>>();
      const auto* number = value.as<double>();
      if ((array && array->empty()) || (number && !(*number < inf))) continue;  // absent
      out.push_back({f.name, value});
    }
    return out;
  }
  Scales<double> scales(const double* p) const override { return at(p).scales(); }
  double steady(const double* p, double v) const override { return at(p).steady(v); }

  void evaluate(const Series& s, const Point& at_point, const Sink& sink) const override {
    if (at_point.directions == 0) {
      std::vector<Traveller<M<double>>> one{{at(at_point.p), around<double>(at_point, 0)}};
      std::vector<double> F(block);
      along(s, one, F, 1, sink);
    } else {
      const std::size_t n = at_point.directions, parts = (n + width - 1) / width;
      std::vector<Traveller<M<Slopes>>> travellers;
      travellers.reserve(parts);
      for (std::size_t k = 0; k < parts; ++k)
        travellers.push_back({with_slopes(at_point, k * width), around<Slopes>(at_point, k * width)});
      std::vector<double> F(block * (1 + n));
      along(s, travellers, F, n, sink);
    }
  }

 private:
  M<double> at(const double* p) const {
    M<double> c = c_;
    std::size_t k = 0;
    each_scalar(c.p, [&](const auto&, int, double& e) { e = p[k++]; });
    return c;
  }
  M<Slopes> with_slopes(const Point& at, std::size_t first) const {
    M<Slopes> c = rebind<Slopes>(c_);
    std::size_t k = 0;
    each_scalar(c.p, [&](const auto&, int, Slopes& e) { set(e, at, k++, first); });
    return c;
  }
  template <class T> std::optional<Effects<T>> around(const Point& at, std::size_t first) const {
    if (own_ == scalars_.size()) return {};
    auto out = convert<Effects<T>>(around_);
    std::size_t k = own_;
    each_effect(out, [&](T& e) { set(e, at, k++, first); });
    return out;
  }
  template <class T> static void set(T& e, const Point& at, std::size_t k, std::size_t first) {
    e = T(at.p[k]);
    if constexpr (!std::is_same_v<T, double>) {
      for (std::size_t j = first; j < std::min(first + width, at.directions); ++j)
        e.d[j - first] = at.slopes[k * at.directions + j];
    }
  }
  /// The effects that are scalars.
  template <class T, class F> void each_effect(Effects<T>& effects, F&& f) const {
    std::size_t k = own_;
    each_scalar(effects, [&](const auto& field, int, T& e) {
      if (k < scalars_.size() && scalars_[k].name == field.name) f(e), ++k;
    });
  }

  /// Evaluates all directions block by block.
  template <class T>
  static void along(const Series& s, std::vector<Traveller<M<T>>>& travellers, std::vector<double>& out, std::size_t n,
                    const Sink& sink) {
    double *F = out.data(), *dF = out.data() + block;
    for (const Stretch& stretch : s.stretches) {
      for (auto& t : travellers) t.restart();
      for (std::size_t from = stretch.from; from < stretch.to; from += block) {
        const std::size_t count = std::min(block, stretch.to - from);
        for (std::size_t k = 0; k < travellers.size(); ++k) {
          auto& t = travellers[k];
          for (std::size_t i = 0; i < count; ++i) {
            const T f = stretch.steady ? t.steady(s, from + i) : t.arrive(s, from + i);
            if constexpr (std::is_same_v<T, double>) {
              F[i] = f;
            } else {
              F[i] = f.a;
              for (std::size_t j = k * width; j < std::min((k + 1) * width, n); ++j) dF[i * n + j] = f.d[j - k * width];
            }
          }
        }
        if (!sink({from, count, n, F, dF})) return;
      }
    }
  }

  M<double> c_;
  Effects<double> around_;
  std::vector<Scalar> scalars_;
  std::size_t own_ = 0;  // scalars of the model itself
};

}  // namespace

std::unique_ptr<Evaluator> evaluator(std::string_view model, const Table& given, const Table& effects) {
  std::unique_ptr<Evaluator> out;
  Effects<double> around;
  const Problems wrong = read_fields(views(around), effects, {"[friction.effects]", "effects"}, false).problems;
  if (!wrong.empty()) throw BadInput(wrong.front().line());
  const auto [info, choice] = find_variant(model);
  if (!info) throw BadInput(unknown_model(model));
  Table all = given;
  for (const Entry& e : choice) {
    if (std::ranges::find(given, e.key, &Entry::key) == given.end()) all.push_back(e);
  }
  Models::visit(info->name, [&]<template <class> class M>() {
    M<double> c{};
    const Source source{"[friction]", info->name};
    const Problems problems = read_fields(views(c.p), all, source, true).problems;
    if (!problems.empty()) throw BadInput(problems.front().line());
    out = std::make_unique<EvaluatorOf<M>>(c, around, effects);
  });
  return out;
}

}  // namespace bristle::identify
