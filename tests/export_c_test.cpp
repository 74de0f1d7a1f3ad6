/// The header of `bristle export c`, compiled and compared with the library.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "bristle/couple_fixed.hpp"
#include "bristle/directed.hpp"
#include "bristle/effects.hpp"
#include "bristle/export.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/read.hpp"

namespace bristle {
namespace {

namespace fs = std::filesystem;
using exports::Exported;

using Laws =
    List<Viscous, CoulombTanh, Stribeck, Karnopp, Dahl, LuGre, MaxwellSlip, Gms, Leuven, ElastoPlastic, BoucWen>;

struct Case {
  std::string name, model;
  Table parameters, effects, negative;
};

/// Parameters of each law drawn at random, within its relations.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  double ratio(double center) { return center * std::exp(between(-2, 2)); }
  bool coin() { return random_() % 2 == 0; }

  Case of(const std::string& model, int number) {
    Case c{model + "_" + std::to_string(number), model, {}, {}, {}};
    auto set = [&](const char* key, const Value& value) { c.parameters.push_back({key, value}); };
    const double Fc = ratio(1), Fs = Fc * between(1, 3);
    const std::size_t n = 1 + random_() % 10;
    std::vector<double> k(n), share(n), sigma(n), W(n);
    double sum = 0;
    for (double& s : share) sum += s = between(0.1, 1);
    for (std::size_t i = 0; i < n; ++i) {
      k[i] = ratio(3e4);
      sigma[i] = ratio(2);
      W[i] = share[i] / sum * Fs;
      share[i] /= sum;
    }
    if (model == "viscous") {
      set("kv", ratio(0.4));
    } else if (model == "coulomb_tanh") {
      set("Fc", Fc), set("k_tanh", ratio(1e3)), set("kv", ratio(0.4));
    } else if (model == "maxwell_slip") {
      set("k", k), set("W", W), set("kv", ratio(0.4));
    } else if (model == "dahl") {
      set("Fc", Fc), set("sigma0", ratio(1e5));
      if (number > 0) set("i", between(0, 3));
    } else if (model == "bouc_wen") {
      set("Fc", Fc), set("sigma0", ratio(1e5)), set("n", between(1, 6)), set("beta", between(0.5, 1.5)),
          set("ke", ratio(3));
    } else {
      set("Fc", Fc), set("Fs", Fs), set("vs", ratio(1e-2)), set("kv", ratio(0.4));
      if (number > 0) set("alpha", between(0.5, 3));
      if (model == "lugre" || model == "elasto_plastic") set("sigma0", ratio(1e5)), set("sigma1", ratio(100));
      if (model == "lugre" && number > 1) set("vd", ratio(1e-2));
      if (model == "elasto_plastic")
        set("z_ba", between(0.1, 0.95) * Fc / *c.parameters[number > 0 ? 5 : 4].value.as<double>());
      if (model == "gms") set("k", k), set("nu", share), set("C", ratio(100));
      if (model == "gms" && number > 1) set("sigma", sigma);
      if (model == "leuven")
        set("k", k), set("W", W), set("sigma1", ratio(10)), set("n", number == 0 ? 2 : number == 1 ? 1 : between(1, 4));
      if (model == "leuven") {  // the shares sum up to Fs in the last digit too
        for (double& w : W) w *= 1.0000001;
        for (Entry& e : c.parameters)
          if (e.key == "W") e.value = W;
      }
    }
    if (number > 0 && coin()) set("kv_exponent", between(0.3, 2.5));
    if (number > 0) {
      auto effect = [&](const char* key, double value) { c.effects.push_back({key, value}); };
      effect("asymmetry", between(-0.5, 0.5)), effect("offset", between(-0.3, 0.3));
      if (coin()) effect("ripple", between(0, 0.5)), effect("ripple_period", ratio(1e-3)), effect("ripple_phase", 1);
      if (coin())
        effect("cogging", ratio(0.1)), effect("cogging_period", ratio(1e-3)), effect("reference_position", 0.01);
      if (coin()) effect("load_exponent", between(0.3, 2));
      if (coin()) effect("load_offset", between(-0.5, 1));
    }
    if (number == 2 && (model == "lugre" || model == "gms" || model == "stribeck" || model == "coulomb_tanh")) {
      c.negative = {{"Fc", Fc * between(0.5, 1)}, {"kv", ratio(0.4)}};
      if (model != "coulomb_tanh") c.negative.push_back({"Fs", Fs * between(1, 1.5)});
    }
    return c;
  }

 private:
  std::mt19937 random_;
};

constexpr int steps = 20000;
struct Input {
  double v, dt, F_app, r, kind;
};
/// Speeds and times over many decades, reversals and rest; every 40th step is an implicit one of a mass.
std::vector<Input> inputs(unsigned seed) {
  Draw draw(seed);
  std::vector<Input> out;
  for (int i = 0; i < steps; ++i) {
    const double size = std::pow(10.0, draw.between(-6, 0));
    out.push_back({i % 17 == 0 ? 0 : draw.between(-1, 1) * size, std::pow(10.0, draw.between(-6, -2)),
                   draw.between(-3, 3), i % 3 == 0 ? draw.between(0.2, 3) : 1,
                   i % 40 == 3 ? draw.between(0.01, 10) : 0});
  }
  return out;
}

/// C++ along the inputs: the force, and velocity and force of implicit steps.
template <template <class> class M, class T>
std::vector<double> by_library(const Case& c, const std::vector<Input>& all) {
  M<double> model{};
  Effects<double> effects{};
  EXPECT_TRUE(read(model.p, c.parameters, {"", ""}).empty()) << c.name;
  EXPECT_TRUE(read(effects, c.effects, {"", ""}).empty()) << c.name;
  M<double> negative = model;
  EXPECT_TRUE(read(negative.p, c.negative, {"", ""}, true).empty()) << c.name;
  const auto contact = rebind<T>(With<Directed<M<double>>, Effects<double>>{{model, negative}, effects});
  auto s = contact.rest();
  typename decltype(contact)::Mode q{};
  std::vector<double> out;
  T x(0);
  for (const Input& in : all) {
    const Motion<T> u{.x = x, .v = T(in.v), .F_app = T(in.F_app), .r = T(in.r)};
    const T dt = T(in.dt);
    if (in.kind > 0) {
      const auto w = couple_fixed(contact, s, q, u, T(in.kind), dt);
      out.insert(out.end(), {double(w.v), double(w.F)});
      x = x + w.v * dt;
    } else {
      contact.step(s, q, u, dt);
      const T F = contact.force(s, q, u);
      out.insert(out.end(), {double(F), 0});
      x = x + u.v * dt;
    }
  }
  return out;
}

const char* driver = R"(
void run_@(const double* in, int n, double* out) {
  @_params p;
  @_state s;
  @_real x = 0;
  int i;
  @_init(&p, &s);
  for (i = 0; i < n; ++i, in += 5, out += 2) {
    @_motion u = @_at(x, (@_real)in[0]);
    u.F_app = (@_real)in[2];
    u.r = (@_real)in[3];
    if (in[4] > 0) {
      const @_coupled w = @_couple_fixed(&p, &s, u, (@_real)in[4], (@_real)in[1]);
      out[0] = (double)w.v;
      out[1] = (double)w.F;
      x = x + w.v * (@_real)in[1];
    } else {
      out[0] = (double)@_step(&p, &s, u, (@_real)in[1]);
      out[1] = 0;
      x = x + u.v * (@_real)in[1];
    }
  }
}
)";

std::string filled(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos;) text.replace(at, 1, name);
  return text;
}

std::string upper(std::string s) {
  for (char& c : s) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return s;
}

/// Distance in units of the last place of T.
template <class T> double ulps(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const T size = std::max(std::abs(T(a)), std::abs(T(b)));
  return std::abs(a - b) / double(std::nextafter(size, std::numeric_limits<T>::infinity()) - size);
}

class ExportC : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  const fs::path folder = fs::temp_directory_path() / ("bristle_export_c_" + std::to_string(::getpid()));
};

constexpr const char* warnings = " -std=c99 -O1 -Wall -Wextra -Wconversion -pedantic -Werror ";

TEST_F(ExportC, HeadersGiveTheBitsOfTheLibraryOverRandomSteps) {
  std::vector<Case> cases;
  Draw draw(20261118);
  Laws::each([&]<template <class> class M>() {
    for (int i = 0; i < 3; ++i) cases.push_back(draw.of(M<double>::card.name, i));
  });
  std::string code;
  for (const Case& c : cases) {
    for (const char* precision : {"", "_f"}) {
      Table effects = c.effects;
      for (const Entry& e : c.negative) effects.push_back({"negative." + e.key, e.value});
      Made made = make(c.model, c.parameters, effects);
      ASSERT_TRUE(made.contact) << c.name << ": " << made.problems.front().text;
      const std::string name = c.name + precision;
      const Exported header =
          exports::write(*exports::find_kind("c"), exports::block_of(std::move(made.contact), name), {});
      ASSERT_TRUE(header.problems.empty()) << header.problems.front().text;
      if (*precision) code += "#define " + upper(name) + "_FLOAT\n";
      code += header.files.front().bytes + filled(driver, name);
    }
  }
  std::ofstream(folder / "all.c") << code;
  const std::string files = (folder / "all.c").string() + " -o " + (folder / "all.so").string() + " -lm";
  ASSERT_EQ(std::system(("cc -shared -fPIC" + std::string(warnings) + files).c_str()), 0);
  void* library = dlopen((folder / "all.so").c_str(), RTLD_NOW);
  ASSERT_TRUE(library) << dlerror();
  unsigned seed = 1;
  for (const Case& c : cases) {
    const std::vector<Input> all = inputs(++seed);
    auto compare = [&]<class T>(T, const char* precision) {
      std::vector<double> expected, got(2 * all.size());
      Laws::visit(c.model, [&]<template <class> class M>() { expected = by_library<M, T>(c, all); });
      ASSERT_EQ(expected.size(), got.size());
      void* address = dlsym(library, ("run_" + c.name + precision).c_str());
      ASSERT_TRUE(address);
      reinterpret_cast<void (*)(const double*, int, double*)>(address)(&all.front().v, steps, got.data());
      double worst = 0;
      std::size_t first = got.size();
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double u = ulps<T>(expected[i], got[i]);
        if (u > 0 && first == got.size()) first = i;
        worst = std::max(worst, u);
      }
      EXPECT_EQ(worst, 0) << c.name << precision << " differs first in step " << first / 2 << ": "
                          << expected[std::min(first, got.size() - 1)] << " in C++, "
                          << got[std::min(first, got.size() - 1)] << " in C";
    };
    compare(1.0, "");
    compare(1.0F, "_f");
  }
  dlclose(library);
}

const char* observing = R"(
/* Largest difference of the observer without gain from the law, then the effect of gain, error and dt at rest. */
void observe_@(double* out) {
  @_params p;
  @_state a, b;
  @_motion u;
  int i;
  @_init(&p, &a);
  b = a;
  out[0] = 0;
  for (i = 0; i < 2000; ++i) {
    double difference;
    u = @_at(0, 0.02 * sin(0.01 * i));
    difference = fabs(@_step(&p, &a, u, 1e-3) - @_observe(&p, &b, u, 0.5, 0, 1e-3));
    if (difference > out[0]) out[0] = difference;
  }
  @_init(&p, &a);
  out[1] = @_observe(&p, &a, @_at(0, 0), 1e-6, 10, 0.01);
  @_init(&p, &a);
  out[2] = @_force(&p, &a, @_at(0, 1)) - @_step(&p, &a, @_at(0, 1), 1e-15);
}
)";

TEST_F(ExportC, ObserversFollowTheLawAndTheError) {
  const std::vector<Case> cases{
      {"lugre", "lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.01}, {"sigma0", 1e4}, {"sigma1", 3}, {"kv", 0.1}}, {}, {}},
      {"gms", "gms", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.01}, {"k", {6e3, 4e3}}, {"nu", {0.4, 0.6}}, {"C", 50}}, {}, {}}};
  std::string code;
  for (const Case& c : cases) {
    Made made = make(c.model, c.parameters);
    const Exported header =
        exports::write(*exports::find_kind("c"), exports::block_of(std::move(made.contact), c.name), {});
    ASSERT_TRUE(header.problems.empty());
    code += header.files.front().bytes + filled(observing, c.name);
  }
  std::ofstream(folder / "o.c") << code;
  const std::string files = (folder / "o.c").string() + " -o " + (folder / "o.so").string() + " -lm";
  ASSERT_EQ(std::system(("cc -shared -fPIC" + std::string(warnings) + files).c_str()), 0);
  void* library = dlopen((folder / "o.so").c_str(), RTLD_NOW);
  ASSERT_TRUE(library) << dlerror();
  for (const Case& c : cases) {
    double out[3]{};
    reinterpret_cast<void (*)(double*)>(dlsym(library, ("observe_" + c.name).c_str()))(out);
    EXPECT_LT(out[0], 1e-11) << c.name;
    // At rest the elastic force changes by -stiffness gain e dt; with sigma1, its rate -gain e adds sigma1 times that.
    const double elastic = -1e4 * 10 * 1e-6 * 0.01, damping = c.model == "lugre" ? -3 * 10 * 1e-6 : 0;
    EXPECT_NEAR(out[1], elastic + damping, 1e-15) << c.name;
    EXPECT_NEAR(out[2], 0, 1e-9) << c.name;
  }
  dlclose(library);
}

}  // namespace
}  // namespace bristle
