/// FMUs of all models with random parameters and effects, in both versions and kinds, compared with the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fmu_importer.hpp"

namespace {

using namespace fmu_importer;

/// Draws parameters one by one; a value that the registry refuses together with the others is left out.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  std::unique_ptr<AnyContact> contact(const ModelInfo& model, bool effects) {
    Table table, more;
    for (const FieldInfo& f : model.parameters) {
      if (f.required && f.waived_by.empty()) table.push_back({f.name, f.value});
    }
    for (const FieldInfo& f : model.parameters) {
      if (f.required && !f.waived_by.empty()) table.push_back({f.name, f.value});
    }
    for (const FieldInfo& f : model.parameters) {
      if (f.kind == Kind::integer || (!f.required && any(0, 1) < 0.4)) continue;
      const auto old = std::ranges::find(table, f.name, &Entry::key);
      const Entry changed{f.name, near(f)};
      Table trial = table;
      if (old != table.end()) {
        trial[static_cast<std::size_t>(old - table.begin())] = changed;
      } else {
        trial.push_back(changed);
      }
      if (make(model.name, trial).contact) table = trial;
    }
    const Table all{{"asymmetry", any(-0.3, 0.3)},
                    {"offset", any(-0.2, 0.2)},
                    {"ripple", any(0, 0.5)},
                    {"ripple_period", scale(0.01)},
                    {"ripple_phase", any(-3, 3)},
                    {"cogging", scale(0.1)},
                    {"cogging_period", scale(0.01)},
                    {"load_exponent", any(0.3, 2)},
                    {"load_offset", any(0, 0.5)},
                    {"temperature_coefficient", any(-0.01, 0.01)},
                    {"load_drive", any(0, 0.1)},
                    {"load_backdrive", any(0, 0.1)},
                    {"curve_x", {-0.01, 0.0, 0.02}},
                    {"curve_F", {any(-1, 1), 0.0, any(-1, 1)}},
                    {"curve_gain", {0.0, any(0, 0.5), 0.0}},
                    {"curve_load", {0.0, any(0, 0.5), 0.0}},
                    {"negative.kv", any(0, 1)}};
    for (const Entry& e : all) {
      Table trial = more;
      trial.push_back(e);
      if (effects && make(model.name, table, trial).contact) more = trial;
    }
    return std::move(make(model.name, table, more).contact);
  }
  double any(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  double scale(double x) { return x * std::pow(10, any(-1, 1)); }

 private:
  Value near(const FieldInfo& f) {
    if (!f.choices.empty())
      return f.choices[static_cast<std::size_t>(any(0, 0.999) * static_cast<double>(f.choices.size()))];
    if (const auto* list = f.value.as<std::vector<double>>()) {
      std::vector<double> out = *list;
      const double factor = scale(1);
      for (double& x : out) x *= factor;
      return out;
    }
    const double* x = f.value.as<double>();
    if (!x) return f.value;
    if (f.name == "kv_exponent") return any(0.4, 2);
    return *x == 0 || std::isinf(*x) ? scale(1) : scale(*x);
  }
  std::mt19937 random_;
};

/// 60 steps of random size along random motion, loads and temperatures; both sides see the same numbers.
template <class Instance> void compare_friction(Instance& it, AnyContact& ours, Draw& draw) {
  const Scales<double> size = ours.scales();
  const double speed = size.velocity > 0 ? size.velocity : 0.01;
  const bool loaded = it.fmu.vr.contains("F_app");
  double x = 0, path = 0, t = 0;
  ASSERT_EQ(it.set("max_step", 1.0), 0);
  for (int i = 0; i < 60; ++i) {
    const double v = i % 7 == 6 ? 0 : speed * draw.scale(1) * (draw.any(-1, 1) > 0 ? 1 : -1), dt = draw.scale(1e-3);
    const double r = 1 + draw.any(-0.5, 0.5), T = draw.any(0, 60), load = draw.any(-2, 2) * size.force;
    ASSERT_EQ(it.set("v", v), 0);
    ASSERT_EQ(it.set("r", r), 0);
    ASSERT_EQ(it.set("temperature", T), 0);
    ASSERT_EQ(it.set("load", load), 0);
    if (loaded) { ASSERT_EQ(it.set("F_app", load), 0); }
    ASSERT_EQ(it.step(t, dt), 0);
    x += v * dt;
    path += std::abs(v) * dt;
    t += dt;
    const double F = ours.step(
        {.x = x, .v = v, .F_app = loaded ? load : 0, .r = r, .path = path, .t = t, .temperature = T, .load = load}, dt);
    ASSERT_NEAR(it.get("F"), F, 1e-13 * std::max(size.force, std::abs(F))) << i;
  }
}
template <class Instance> void compare_body(Instance& it, AnyContact& ours, double mass, Draw& draw) {
  const double force = ours.scales().force;
  double x = 0, v = 0, path = 0, t = 0;
  ASSERT_EQ(it.set("max_step", 1.0), 0);
  for (int i = 0; i < 60; ++i) {
    const double F_app = 2 * force * draw.any(-1, 1), dt = draw.scale(1e-3), r = 1 + draw.any(-0.5, 0.5);
    ASSERT_EQ(it.set("F_app", F_app), 0);
    ASSERT_EQ(it.set("r", r), 0);
    ASSERT_EQ(it.step(t, dt), 0);
    t += dt;
    const Coupled<double> next =
        ours.couple({.x = x, .v = v, .F_app = F_app, .r = r, .path = path, .t = t, .load = F_app}, mass, dt);
    v = next.v;
    x += v * dt;
    path += std::abs(v) * dt;
    ASSERT_NEAR(it.get("F"), next.F, 1e-13 * std::max(force, std::abs(next.F))) << i;
    ASSERT_NEAR(it.get("x"), x, 1e-13 * std::max(1e-3, std::abs(x))) << i;
  }
}

void compare(const AnyContact& contact, unsigned seed) {
  const double mass = Draw(seed).scale(1);
  for (const bool body : {false, true}) {
    for (const int version : {2, 3}) {
      SCOPED_TRACE((body ? "body, version " : "friction, version ") + std::to_string(version));
      const Fmu fmu(contact.clone(), body ? "body" : "friction", version, mass);
      Draw motion(seed + 1);
      auto ours = contact.clone();
      auto run = [&](auto&& it) {
        ASSERT_TRUE(it.c);
        it.start();
        if (body) {
          compare_body(it, *ours, mass, motion);
        } else {
          compare_friction(it, *ours, motion);
        }
      };
      if (version == 2) {
        run(Instance2(fmu));
      } else {
        run(Instance3(fmu));
      }
    }
  }
}

TEST(FmuLaws, EqualTheLibraryWithRandomParameters) {
  unsigned seed = 1;
  for (const ModelInfo* model : models()) {
    for (const bool effects : {false, true}) {
      const auto contact = Draw(++seed).contact(*model, effects);
      ASSERT_TRUE(contact) << model->name;
      SCOPED_TRACE(serialise(*contact));
      compare(*contact, seed);
    }
  }
}

/// Elements with curves of their own replace the common curve, nu and C; damping and negative motion come on top.
TEST(FmuLaws, EqualTheLibraryForElementsWithCurvesOfTheirOwn) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Draw draw(seed);
    const auto n = static_cast<std::size_t>(draw.any(1, 9));
    auto list = [&](double a, double b) {
      std::vector<double> out(n);
      for (double& x : out) x = draw.any(a, b);
      return out;
    };
    Table table{
        {"k", list(1e3, 1e5)}, {"Fc_i", list(0.1, 1)}, {"Fs_i", list(1, 2)}, {"C_i", list(1, 100)}, {"kv", 0.2}};
    if (seed % 2 == 0) {
      table.push_back({"vs_i", list(1e-3, 1e-1)});
      table.push_back({"alpha_i", list(0.5, 2)});
      table.push_back({"kv_exponent", 0.7});
    } else {
      table.push_back({"vs", 0.01});
      table.push_back({"sigma", list(0, 3)});
    }
    const Made made =
        make("gms", table, seed > 2 ? Table{{"negative.kv", 0.5}, {"ripple", 0.2}, {"ripple_period", 0.01}} : Table{});
    ASSERT_TRUE(made.contact) << made.problems.front().text;
    SCOPED_TRACE(serialise(*made.contact));
    compare(*made.contact, seed);
    const exports::Block block = exports::block_of(made.contact->clone());
    const exports::Exported snippet = exports::write(*exports::find_kind("mujoco"), block, {.joint = "elbow"});
    ASSERT_TRUE(snippet.problems.empty()) << snippet.problems.front().text;
    EXPECT_NE(snippet.files.front().bytes.find("key=\"Fc_i\""), std::string::npos);
    EXPECT_EQ(snippet.files.front().bytes.find("key=\"nu\""), std::string::npos);
  }
}

/// Kinds that have no place for something refuse the block by the name of it; the others carry it.
TEST(FmuLaws, NothingIsDroppedSilently) {
  struct Case {
    const char *model, *names;  // names: one of them is in the refusal, or in the text
    Table table, effects;
  };
  const Table lugre{{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 0.01}, {"sigma0", 1e4}, {"sigma1", 10.0}, {"kv", 0.4}};
  auto with = [](Table t, Entry e) {
    t.push_back(std::move(e));
    return t;
  };
  const std::vector<Case> cases{
      {"lugre", "kv_exponent", with(lugre, {"kv_exponent", 0.7}), {}},
      {"lugre", "load_offset", lugre, {{"load_offset", 0.3}}},
      {"lugre", "load_drive", lugre, {{"load_drive", 0.1}}},
      {"lugre", "curve_gain", lugre, {{"curve_x", {0.0, 1.0}}, {"curve_gain", {0.0, 0.2}}}},
      {"lugre", "temperature_coefficient", lugre, {{"temperature_coefficient", 0.01}}},
      {"lugre", "negative.Fc", lugre, {{"negative.Fc", 0.8}}},
      {"gms", "Fc_i", {{"k", {1e4}}, {"Fc_i", {0.5}}, {"Fs_i", {1.0}}, {"C_i", {10.0}}, {"vs", 0.01}}, {}},
      {"lugre", "friction.heat", lugre, {{"heat.capacity", 500.0}, {"heat.conductance", 1.0}, {"heat.ambient", 20.0}}},
      {"film", "film", {{"Fc", 0.2}, {"Fs", 1.5}, {"vs", 0.01}, {"kf", 2.0}, {"squeeze_length", 0.01}}, {}},
      {"rolling", "rolling", {{"normal_load", 10.0}, {"mu_c", 0.3}, {"radius", 0.01}, {"half_width", 1e-4}}, {}},
      {"velocity_weakening", "velocity_weakening", {{"Fs", 1.5}, {"drop", 0.2}, {"vw", 0.01}}, {}},
  };
  for (const Case& c : cases) {
    Made made = make(c.model, c.table, c.effects);
    ASSERT_TRUE(made.contact) << c.model << ": " << made.problems.front().text;
    const exports::Block block = exports::block_of(std::move(made.contact));
    for (const exports::Kind& kind : exports::kinds()) {
      exports::Options options{.out = kind.text ? "" : "x.fmu", .resources = resources};
      if (std::string_view(kind.name) == "mujoco") options.joint = "elbow";
      const exports::Exported out = exports::write(kind, block, options);
      std::string text;
      for (const auto& p : out.problems) text += p.text;
      for (const auto& f : out.files) text += f.bytes;
      std::erase(text, '\\');  // of Markdown
      // The joints of robot descriptions are fitted to the steady curve, which has the parameters of the model.
      const bool fitted = std::string_view(kind.name) == "mjcf" || std::string_view(kind.name) == "urdf";
      const bool refused_whole = !out.problems.empty() && text.find(c.model) != std::string::npos;
      if (refused_whole || (fitted && c.effects.empty() && out.problems.empty())) continue;
      EXPECT_NE(text.find(c.names), std::string::npos) << kind.name << ": " << c.names;
    }
  }
}

}  // namespace
