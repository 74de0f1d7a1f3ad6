#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bristle/gallery.hpp"
#include "support/scenario.hpp"

/// A figure file with three variants, and its runs.
namespace bristle::gallery {

/// A mass on a spring whose far end jumps: without friction x = 0.1 (1 - cos 10 t).
inline const std::string wall_step = R"toml(title = "Wall step"
[paper]
figure = "Fig 1"
caption = "Content."
differs = "Nothing."
[system]
kind = "slider"
mass = 1
stiffness = 100
[drive]
kind = "step"
size = 0.1
[solver]
duration = 5
output_step = 0.02
rtol = 1e-9
[[variant]]
label = "free"
set = { friction = { model = "coulomb", Fc = 0 }, solver.duration = 1 }
expect = { "x(1)" = { value = 0.18390715291, rel = 1e-6 } }
[[variant]]
label = "Coulomb"
set = { "friction" = { model = "coulomb", Fc = 0.981 }, "solver.output_step" = 0.01 }
expect = { "max(F)" = { value = 0.981, rel = 1e-9 }, "max(x)" = { max = 0.19 } }
printed = { cpu_s = 0.31 }
[[variant]]
label = "lugre"
set = { friction = { model = "lugre", Fc = 0.981, Fs = 1.4, vs = 0.01, sigma0 = 1e5, sigma1 = 300 }, "solver" = { duration = 2 } }
[[figure]]
y = "x"
[[figure]]
y = "z"
variants = ["lugre"]
[[figure]]
y = ["x", "v"]
variants = ["lugre", "free"]
[expect]
"max(x)" = { max = 0.2001 }
)toml";

inline FigureFile read(const std::string& text) {
  FigureRead out = read_figure_file(text, "p/fig1.toml");
  EXPECT_EQ(lines(out.problems), Lines{});
  return std::move(out.file);
}

inline std::vector<VariantResult> results_of(const FigureFile& file) {
  std::vector<VariantResult> out;
  gallery::run({&file}, [&](std::size_t, const std::vector<VariantResult>& r) { out = r; });
  return out;
}

}  // namespace bristle::gallery
