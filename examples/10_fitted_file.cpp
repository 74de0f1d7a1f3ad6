/// 10. A friction file of `bristle identify` in your program, without the scenario reader: needs bristle::models only.
///   10_fitted_file out/lugre.toml
#include <bristle/registry/friction_file.hpp>

#include <cmath>
#include <cstdio>

using namespace bristle;

int main(int argc, char** argv) {
  const LoadedContact joint = load_contact(argc > 1 ? argv[1] : "examples/friction/joint.toml");
  for (const Problem& problem : joint.problems) std::puts(problem.line().c_str());  // all of them, with file and line
  for (const std::string& note : joint.notes) std::printf("note: %s\n", note.c_str());
  if (!joint.contact) return 1;

  const double inertia = joint.fitted.mass > 0 ? joint.fitted.mass : 1;  // NaN if the file has none
  const char* unit = joint.rotational ? "N m" : "N";
  std::printf("%s, %s\n", joint.title.c_str(), std::string(joint.contact->model()).c_str());
  for (const Variable& p : joint.contact->parameters())
    std::printf("  %-8s %g %s\n", p.name.c_str(), p.value, p.unit.c_str());

  // Gravity and offset are not friction: the controller adds them itself, u = mass a + F + gravity... + offset.
  std::printf("inertia %g, constant force %g %s\n", inertia, joint.fitted.constant_force(), unit);
  double v = 0, fastest = 0;
  const double load = 2 * joint.contact->scales().force;
  for (int k = 0; k < 1000; ++k) {
    v = joint.contact->couple({.v = v, .F_app = load}, inertia, 1e-3).v;
    fastest = std::fmax(fastest, v);
  }
  std::printf("after 1 s under %g %s: v = %g\n", load, unit, v);
  for (const MeasuredRanges::Of& range : joint.measured.ranges) {
    if (range.name == "v" && range.left_by(fastest))
      std::printf("note: v = %g is outside of the measured %g to %g\n", fastest, range.least, range.most);
  }
  return v > 0 ? 0 : 1;
}
