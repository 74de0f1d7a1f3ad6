#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "bristle/random.hpp"

/// The problems that every solver gets, once, for all of them: C++17, because Simbody's headers want it.
namespace peers {

enum class Law { coulomb, stribeck, dahl, lugre, brown_mcphee, gms };
inline const char* name_of(Law law) {
  constexpr const char* names[]{"coulomb", "stribeck", "dahl", "lugre", "brown_mcphee", "gms"};
  return names[static_cast<int>(law)];
}

/// A row of equal blocks on equal contacts, or one disk, or a given motion; the first one is pulled through a spring
/// whose end moves at constant velocity. SI.
struct Case {
  std::string name{};
  Law law{};
  double mass{1}, stiffness{0}, pull{0};
  double Fc{1}, Fs{1}, vs{1}, sigma0{0}, sigma1{0}, kv{0};
  double duration{1}, output_step{0.01};
  double radius{0};  // of a disk; half m r^2 is its inertia
  int blocks{1};
  double coupling{0};  // springs between neighbours
  bool motion{false};  // velocity given by multisine()

  bool bristles() const { return law == Law::dahl || law == Law::lugre; }
  bool dry() const { return law == Law::coulomb || law == Law::stribeck; }
  bool disk() const { return radius > 0; }
  double inertia() const { return mass * radius * radius / 2; }
  int rows() const { return static_cast<int>(std::lround(duration / output_step)) + 1; }
};

/// Canudas de Wit et al. 1995.
inline Case stick_slip() {
  Case p;
  p.name = "stick_slip";
  p.law = Law::lugre;
  p.stiffness = 2;
  p.pull = 0.1;
  p.Fs = 1.5;
  p.vs = 1e-3;
  p.sigma0 = 1e5;
  p.sigma1 = std::sqrt(1e5);
  p.kv = 0.4;
  p.duration = 20;
  return p;
}

/// The spring-mass of the multibody paper.
inline Case block(Law law) {
  Case p;
  p.name = std::string("block_") + name_of(law);
  p.law = law;
  p.stiffness = 10;
  p.pull = 0.4;
  p.Fc = 0.981;
  p.Fs = law == Law::coulomb || law == Law::dahl ? p.Fc : 2 * p.Fc;
  p.vs = 0.5;
  p.sigma0 = 400;
  p.sigma1 = law == Law::lugre ? 0.1 : 0;
  p.duration = 10;
  return p;
}

/// Its roller. The dry one gets a contact weak enough to slip.
inline Case roller(Law law) {
  Case p = block(law);
  p.name = std::string("roller_") + name_of(law);
  p.pull = 0.2;
  p.radius = 0.1;
  p.Fs = p.Fc;
  if (law == Law::coulomb) {
    p.Fc = 0.02 * 9.81;
    p.Fs = 0.024 * 9.81;
  }
  return p;
}

inline Case chain() {
  Case p = stick_slip();
  p.name = "chain";
  p.blocks = 3;
  p.coupling = 10;
  p.duration = 25;  // until all three have slipped
  return p;
}

/// Five parameters of the stick-slip run, each within 30 % of its value.
inline Case ensemble_member(int i) {
  Case p = stick_slip();
  p.name = "ensemble/" + std::to_string(i);
  unsigned j = 0;
  for (double* value : {&p.Fs, &p.vs, &p.sigma0, &p.stiffness, &p.pull})
    *value *= 0.7 + 0.6 * bristle::uniform(1, 100, static_cast<unsigned>(i), j++);
  return p;
}

/// Motion as for an identification: ten sines up to 5 Hz, sampled at 1 kHz for 30 s.
struct Tone {
  double amplitude, frequency, phase;
};
inline std::vector<Tone> multisine() {
  std::vector<Tone> tones;
  for (int i = 1; i <= 10; ++i) tones.push_back({1e-3, 0.5 * i, 3.14159265358979 * i * (i - 1) / 10});
  return tones;
}
struct GmsElements {
  static constexpr int n = 4;
  double k[n]{4e4, 3e4, 2e4, 1e4}, nu[n]{0.1, 0.225, 0.3, 0.375}, C = 100;
};
inline Case motion(Law law) {
  Case p = stick_slip();
  p.name = std::string("motion_") + name_of(law);
  p.law = law;
  p.motion = true;
  p.duration = 30;
  p.output_step = 1e-3;
  if (law == Law::gms) p.kv = 0;
  return p;
}

inline std::vector<Case> problems() {
  std::vector<Case> all{stick_slip()};
  for (Law law : {Law::coulomb, Law::stribeck, Law::dahl, Law::lugre, Law::brown_mcphee}) all.push_back(block(law));
  for (Law law : {Law::coulomb, Law::dahl, Law::lugre, Law::brown_mcphee}) all.push_back(roller(law));
  all.push_back(chain());
  for (Law law : {Law::lugre, Law::gms}) all.push_back(motion(law));
  return all;
}

}  // namespace peers
