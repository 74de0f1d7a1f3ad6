#include "bristle/tribometer/alike.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bristle::tribometer {

std::vector<std::string> lay_out_alike(std::vector<Subject>& subjects) {
  std::vector<std::string> notes(subjects.size());
  if (subjects.size() < 2) return notes;
  const Sizes first = sizes_of(*subjects.front().contact, subjects.front().settings.sizes);
  for (std::size_t i = 1; i < subjects.size(); ++i) {
    const Sizes own = sizes_of(*subjects[i].contact, subjects[i].settings.sizes);
    auto ratio = [](double a, double b) { return std::max(a / b, b / a); };
    const double most = std::max(ratio(own.velocity, first.velocity), ratio(own.travel, first.travel));
    if (!(most > 5)) continue;
    notes[i] = fmt::format(
        "velocity and displacement scales of {} and {} differ by a factor of {:.2g}: it is measured at those of {}",
        subjects[i].label, subjects.front().label, most, subjects.front().label);
  }
  for (Subject& s : subjects) {
    SizeSettings& z = s.settings.sizes;
    auto fill = [](double& given, double value) { given = given > 0 ? given : value; };
    fill(z.velocity, first.velocity);
    fill(z.travel, first.travel);
    fill(z.mass, first.mass);
  }
  return notes;
}

}  // namespace bristle::tribometer
