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
  std::optional<C> negative{};  // for motion in this direction, see Directed
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
      F = advance(at(u), s, q, u, dt);
    } else if (!data.before_jump.empty() && data.before_jump[i] > 0) {
      u.v = T(data.v[i - 1]);
      at(u).step(s, q, u, T(data.before_jump[i]));
      u.v = T(data.v[i]);
      F = advance(at(u), s, q, u, T(data.dt[i] - data.before_jump[i]));
    } else {
      double last_v = data.step_v[i];
      if (const Bend* parts = data.parts(i)) {
        last_v = follow(*parts, u, dt / T(static_cast<double>(parts->size())));
      } else if (data.turns(i)) {
        u.v = T(data.turn_v[i]);
        at(u).step(s, q, u, T(data.turn_dt[i]));
        u.v = T(last_v = data.back_v(i));
        at(u).step(s, q, u, T(data.dt[i] - data.turn_dt[i]));
      } else {
        at(u).step(s, q, u, dt);
      }
      u.v = T(data.v[i]);
      const bool turns = side(last_v) != side(data.v[i]);
      if (turns) at(u).step(s, q, u, T(1e-9) * dt);  // updates modes to the new direction
      F = at(u).force(s, q, u);
    }
    if (around) F = around->out(outside, F);
    if constexpr (SetValued<C>) last = F;
    return F;
  }
  T steady(const Series& data, std::size_t i) const {
    const Motion<T> u = motion(data, i, data.v[i]);
    const C& law = at(u);
    const T F = law.steady(T(data.v[i]));
    if (!data.loaded && !around) return F;
    const T r = around ? around->in(u).r : u.r;
    const T viscous = viscous_force(law.p, T(data.v[i]));  // the load acts on the dry part
    T loaded = r * (F - viscous) + viscous;
    if constexpr (requires { law.steady(T(0), r); }) loaded = law.steady(T(data.v[i]), r);
    return around ? around->out(u, loaded) : loaded;
  }

 private:
  const C& at(const Motion<T>& u) const {
    return negative && (u.v != T(0) ? side(u.v) : side(u.F_app)) < 0 ? *negative : c;
  }
  /// Steps of dt each; returns the last velocity. Inlined, these rare steps would slow down all others.
  [[gnu::noinline]] double follow(const Bend& parts, Motion<T>& u, const T& dt) {
    for (const double v : parts) {
      u.v = T(v);
      at(u).step(s, q, u, dt);
    }
    return parts.back();
  }
  Motion<T> motion(const Series& data, std::size_t i, double v) const {
    Motion<T> u{.x = T(data.x[i]), .v = T(v), .r = T(data.r[i]), .temperature = data.T[i], .load = T(data.load[i])};
    if constexpr (SetValued<C>) u.F_app = last;
    return u;
  }
};

template <template <class> class M> class EvaluatorOf final : public Evaluator {
 public:
  /// `effects` and `negative`: the keys that are scalars, after those of the model.
  EvaluatorOf(const M<double>& c, const Effects<double>& around, Table effects, const M<double>& negative, Table own)
      : c_(c), negative_(negative), around_(around), effect_keys_(std::move(effects)), negative_keys_(std::move(own)) {
    auto add = [&](const auto& f, int i, double e, std::string_view prefix) {
      const std::string field = std::string(prefix) + f.name;
      scalars_.push_back({i > 0 ? fmt::format("{}{}", field, i) : field, field, f.unit, i, f.range, f.role});
      values_.push_back(e);
    };
    each_scalar(c_.p, [&](const auto& f, int i, double& e) {
      add(f, i, e, "");
      scalars_.back().part = f.part();
    });
    each_given(around_, effect_keys_, [&](const auto& f, int i, double& e) { add(f, i, e, ""); });
    each_given(negative_.p, negative_keys_, [&](const auto& f, int i, double& e) {
      add(f, i, e, of_negative);
      scalars_.back().part = f.part();
    });
  }
  std::string_view name() const override { return M<double>::card.name; }
  const std::vector<Scalar>& scalars() const override { return scalars_; }
  std::vector<double> values() const override { return values_; }
  Table effects(const double* p) const override {
    Contents<double> all = at<double>({p}, 0);
    Table out;
    auto list = [&](const std::vector<FieldView>& fields, const Table& keys, std::string_view prefix) {
      for (const FieldView& f : fields) {
        if (is_in(keys, f.name)) out.push_back({std::string(prefix) + f.name, f.get()});
      }
    };
    list(views(all.around), effect_keys_, "");
    list(views(all.negative.p), negative_keys_, of_negative);
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
      std::vector<Traveller<M<double>>> one{traveller<double>(at_point, 0)};
      std::vector<double> F(block);
      along(s, one, F, 1, sink);
    } else {
      const std::size_t n = at_point.directions, parts = (n + width - 1) / width;
      std::vector<Traveller<M<Slopes>>> travellers;
      travellers.reserve(parts);
      for (std::size_t k = 0; k < parts; ++k) travellers.push_back(traveller<Slopes>(at_point, k * width));
      std::vector<double> F(block * (1 + n));
      along(s, travellers, F, n, sink);
    }
  }

 private:
  template <class T> struct Contents {
    M<T> c, negative;
    Effects<T> around;
  };
  /// All values at a point; parameters without a value of their own in negative motion are those of positive motion.
  template <class T> Contents<T> at(const Point& point, std::size_t first) const {
    Contents<T> out{rebind<T>(c_), rebind<T>(negative_), convert<Effects<T>>(around_)};
    std::size_t k = 0;
    auto take = [&](const auto&, int, T& e) { set(e, point, k++, first); };
    each_scalar(out.c.p, take);
    each_given(out.around, effect_keys_, take);
    out.negative = out.c;
    each_given(out.negative.p, negative_keys_, take);
    return out;
  }
  M<double> at(const double* p) const { return at<double>({p}, 0).c; }
  template <class T> Traveller<M<T>> traveller(const Point& point, std::size_t first) const {
    Contents<T> all = at<T>(point, first);
    Traveller<M<T>> out{all.c};
    if (!effect_keys_.empty()) out.around = all.around;
    if (!negative_keys_.empty()) out.negative = all.negative;
    return out;
  }
  template <class T> static void set(T& e, const Point& at, std::size_t k, std::size_t first) {
    e = T(at.p[k]);
    if constexpr (!std::is_same_v<T, double>) {
      for (std::size_t j = first; j < std::min(first + width, at.directions); ++j)
        e.d[j - first] = at.slopes[k * at.directions + j];
    }
  }
  static bool is_in(const Table& keys, std::string_view name) {
    return std::ranges::find(keys, name, &Entry::key) != keys.end();
  }
  template <class P, class F> static void each_given(P& p, const Table& keys, F&& f) {
    if (keys.empty()) return;
    each_scalar(p, [&](const auto& field, int i, auto& e) {
      if (is_in(keys, field.name)) f(field, i, e);
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

  M<double> c_, negative_;
  Effects<double> around_;
  Table effect_keys_, negative_keys_;
  std::vector<Scalar> scalars_{};
  std::vector<double> values_{};
};

}  // namespace

std::unique_ptr<Evaluator> evaluator(std::string_view model, const Table& given, const Table& effects) {
  std::unique_ptr<Evaluator> out;
  Effects<double> around;
  Table plain, own;
  for (Entry e : effects) {
    const bool directed = e.key.starts_with(of_negative);
    if (directed) e.key.erase(0, of_negative.size());
    (directed ? own : plain).push_back(std::move(e));
  }
  const Problems wrong = read_fields(views(around), plain, {"[friction.effects]", "effects"}, false).problems;
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
    M<double> negative = c;
    const Problems reversed = read_fields(views(negative.p), own, {"[friction.negative]", source.owner}, true).problems;
    if (!reversed.empty()) throw BadInput(reversed.front().line());
    out = std::make_unique<EvaluatorOf<M>>(c, around, plain, negative, own);
  });
  return out;
}

}  // namespace bristle::identify
