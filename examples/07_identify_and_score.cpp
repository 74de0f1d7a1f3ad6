/// 07. From a recording to a model, and its error on a recording that was not fitted. Needs bristle::identify.
/// `read_recording(path)` reads CSV, JSON and MAT files; here the recordings are made, so that the answer is known.
#include <bristle/batch/along.hpp>
#include <bristle/identify.hpp>

#include <cmath>
#include <cstdio>
#include <random>

using namespace bristle;

namespace {

/// A joint with Fc = 1.2, Fs = 2, vs = 0.02, kv = 0.5 along a sum of sines, with 1 % noise.
identify::Recording recorded(double frequency, unsigned seed) {
  Made joint = make("stribeck_tanh", {{"Fc", 1.2}, {"Fs", 2.0}, {"vs", 0.02}, {"k_tanh", 500.0}, {"kv", 0.5}});
  identify::Recording out;
  out.name = "joint";
  double x = 0;
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.02);
  for (int i = 0; i < 4000; ++i) {
    const double t = 1e-3 * i, v = 0.2 * std::sin(6.2832 * frequency * t + 0.1) + 0.03 * std::sin(9 * t);
    x += 1e-3 * v;
    out.t.push_back(t);
    out.x.push_back(x);
    out.v.push_back(v);
    out.F.push_back(joint.contact->step({.x = x, .v = v}, 1e-3) + noise(random));
  }
  return out;
}

}  // namespace

int main() {
  identify::Options options;
  options.models = {"viscous", "coulomb_tanh", "stribeck_tanh"};
  const identify::Ranking ranking = identify::identify({recorded(0.5, 1)}, options);
  for (const identify::Fit& fit : ranking.fits)
    std::printf("%-14s rmse %.4f N, held out %.4f N\n", fit.model.c_str(), fit.rmse, fit.held_out);
  std::printf("recommended: %s\n", ranking.recommended.c_str());
  if (ranking.fits.empty()) return 1;

  const identify::Fit& best = ranking.fits.front();
  bool inside = true;
  for (const identify::Estimate& e : best.friction) {
    std::printf("  %-6s %8.4f %-6s 95 %%: %.4f to %.4f\n", e.name.c_str(), e.value, e.unit.c_str(), e.low, e.high);
    if (e.name == "Fc") inside = e.low < 1.2 && 1.2 < e.high;
  }
  const identify::Score score = identify::score(best, {recorded(0.8, 2)});
  std::printf("on another recording: rmse %.4f N (the noise is 0.02 N)\n", score.all.rmse);
  return ranking.recommended == "stribeck_tanh" && inside && score.all.rmse < 0.025 ? 0 : 1;
}
