#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "bristle/dual.hpp"
#include "identify/least_squares.hpp"

/// Problems of least squares whose minima are known.
namespace problems {

using Number = bristle::Dual<double, 7>;
using Numbers = std::vector<Number>;
inline constexpr double inf = std::numeric_limits<double>::infinity();

struct Problem {
  std::string name;
  std::function<Numbers(const Numbers&)> residuals;
  std::vector<std::vector<double>> starts;
  std::vector<double> minimum;  // one, where there are several
  double squares = 0;           // sum, there
  bristle::identify::Box box{};

  std::size_t size() const { return minimum.size(); }
  bristle::identify::Box limits() const {
    if (box.size() > 0) return box;
    return {std::vector<double>(size(), -inf), std::vector<double>(size(), inf)};
  }
  Numbers at(const double* q, bool slopes = true) const {
    Numbers b;
    for (std::size_t i = 0; i < size(); ++i) b.push_back(slopes ? Number::variable(q[i], i) : Number(q[i]));
    return residuals(b);
  }
  double cost(const double* q) const {
    double sum = 0;
    for (const Number& r : at(q, false)) sum += 0.5 * r.a * r.a;
    return sum;
  }
  bool gram(const double* q, bristle::identify::Gram& out) const {
    const std::size_t n = size();
    out.matrix.assign((n + 1) * (n + 1), 0.0);
    for (const Number& r : at(q)) {
      auto column = [&](std::size_t i) { return i < n ? r.d[i] : r.a; };
      for (std::size_t i = 0; i <= n; ++i) {
        for (std::size_t j = 0; j <= n; ++j) out.matrix[i * (n + 1) + j] += column(i) * column(j);
      }
    }
    out.cost = 0.5 * out.matrix.back();
    return std::isfinite(out.cost);
  }
  bristle::identify::Solution solve(const std::vector<double>& start, int iterations = 1000,
                                    double tolerance = 1e-14) const {
    return bristle::identify::least_squares(
        [this](const double* q, bristle::identify::Gram& out) { return gram(q, out); },
        [this](const double* q) { return cost(q); }, limits(), start, iterations, tolerance);
  }
};

/// y = f(b, x) at points.
inline Problem curve(std::string name, std::function<Number(const Numbers& b, double x)> f, std::vector<double> x,
                     std::vector<double> y, std::vector<std::vector<double>> starts, std::vector<double> minimum,
                     double squares) {
  auto residuals = [f = std::move(f), x = std::move(x), y = std::move(y)](const Numbers& b) {
    Numbers r;
    for (std::size_t i = 0; i < x.size(); ++i) r.push_back(f(b, x[i]) - y[i]);
    return r;
  };
  return {std::move(name), residuals, std::move(starts), std::move(minimum), squares};
}

inline std::vector<double> from(double first, double step, std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(first + static_cast<double>(i) * step);
  return out;
}

/// Statistical Reference Datasets of NIST for nonlinear regression, with their certified values and starts, except for
/// the far starts of BoxBOD, MGH10 and MGH17: one ends where a coordinate has no influence, the others take thousands
/// of steps.
inline std::vector<Problem> certified() {
  const auto rise = [](const Numbers& b, double x) { return b[0] * (1 - exp(-b[1] * x)); };
  const auto power = [](const Numbers& b, double x) { return b[0] * exp(b[1] * std::log(x)); };
  const auto rational = [](const Numbers& b, double x) {
    return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1 + x * (b[4] + x * (b[5] + x * b[6])));
  };
  const auto kowalik = [](const Numbers& b, double x) { return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]); };
  const auto peak = [](const Numbers& b, double x) {
    const Number u = (x - b[2]) / b[1];
    return b[0] / b[1] * exp(-0.5 * u * u);
  };
  const auto sigmoid = [](const Numbers& b, double x) { return b[0] / (1 + exp(b[1] - b[2] * x)); };
  const auto richards = [](const Numbers& b, double x) { return b[0] * exp(-log(1 + exp(b[1] - b[2] * x)) / b[3]); };
  const auto meyer = [](const Numbers& b, double x) { return b[0] * exp(b[1] / (x + b[2])); };
  const auto osborne = [](const Numbers& b, double x) { return b[0] + b[1] * exp(-x * b[3]) + b[2] * exp(-x * b[4]); };
  return {
      curve("Misra1a", rise,
            {77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0},
            {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78},
            {{500, 1e-4}, {250, 5e-4}}, {2.3894212918e2, 5.5015643181e-4}, 1.2455138894e-1),
      curve("BoxBOD", rise, {1, 2, 3, 5, 7, 10}, {109, 149, 149, 191, 213, 224}, {{100, 0.75}},
            {2.1380940889e2, 5.4723748542e-1}, 1.1680088766e3),
      curve("DanWood", power, {1.309, 1.471, 1.490, 1.565, 1.611, 1.680}, {2.138, 3.421, 3.597, 4.340, 4.882, 5.660},
            {{1, 5}, {0.7, 4}}, {7.6886226176e-1, 3.8604055871}, 4.3173084083e-3),
      curve("Thurber", rational,
            {-3.067, -2.981, -2.921, -2.912, -2.840, -2.797, -2.702, -2.699, -2.633, -2.481, -2.363, -2.322, -1.501,
             -1.460, -1.274, -1.212, -1.100, -1.046, -0.915, -0.714, -0.566, -0.545, -0.400, -0.309, -0.109, -0.103,
             0.010,  0.119,  0.377,  0.790,  0.963,  1.006,  1.115,  1.572,  1.841,  2.047,  2.200},
            {80.574,   84.248,   87.264,   87.195,   89.076,   89.608,   89.868,   90.101,   92.405,   95.854,
             100.696,  101.060,  401.672,  390.724,  567.534,  635.316,  733.054,  759.087,  894.206,  990.785,
             1090.109, 1080.914, 1122.643, 1178.351, 1260.531, 1273.514, 1288.339, 1327.543, 1353.863, 1414.509,
             1425.208, 1421.384, 1442.962, 1464.350, 1468.705, 1447.894, 1457.628},
            {{1000, 1000, 400, 40, 0.7, 0.3, 0.03}, {1300, 1500, 500, 75, 1, 0.4, 0.05}},
            {1.2881396800e3, 1.4910792535e3, 5.8323836877e2, 7.5416644291e1, 9.6629502864e-1, 3.9797285797e-1,
             4.9727297349e-2},
            5.6427082397e3),
      curve("MGH09", kowalik, {4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625},
            {0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246},
            {{25, 39, 41.5, 39}, {0.25, 0.39, 0.415, 0.39}},
            {1.9280693458e-1, 1.9128232873e-1, 1.2305650693e-1, 1.3606233068e-1}, 3.0750560385e-4),
      curve("Eckerle4", peak,
            {400,   405, 410,   415, 420,   425, 430,   435, 436.5, 438, 439.5, 441, 442.5, 444, 445.5, 447, 448.5, 450,
             451.5, 453, 454.5, 456, 457.5, 459, 460.5, 462, 463.5, 465, 470,   475, 480,   485, 490,   495, 500},
            {0.0001575, 0.0001699, 0.0002350, 0.0003102, 0.0004917, 0.0008710, 0.0017418, 0.0046400, 0.0065895,
             0.0097302, 0.0149002, 0.0237310, 0.0401683, 0.0712559, 0.1264458, 0.2073413, 0.2902366, 0.3445623,
             0.3698049, 0.3668534, 0.3106727, 0.2078154, 0.1164354, 0.0616764, 0.0337200, 0.0194023, 0.0117831,
             0.0074357, 0.0022732, 0.0008800, 0.0004579, 0.0002345, 0.0001586, 0.0001143, 0.0000710},
            {{1, 10, 500}, {1.5, 5, 450}}, {1.5543827178, 4.0888321754, 4.5154121844e2}, 1.4635887487e-3),
      curve("Rat42", sigmoid, {9, 14, 21, 28, 42, 57, 63, 70, 79},
            {8.930, 10.800, 18.590, 22.330, 39.350, 56.110, 61.730, 64.620, 67.080}, {{100, 1, 0.1}, {75, 2.5, 0.07}},
            {7.2462237576e1, 2.6180768402, 6.7359200066e-2}, 8.0565229338),
      curve("Rat43", richards, from(1, 1, 15),
            {16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56, 689.96, 637.56,
             717.41},
            {{100, 10, 1, 1}, {700, 5, 0.75, 1.3}}, {6.9964151270e2, 5.2771253025, 7.5962938329e-1, 1.2792483859},
            8.7864049080e3),
      curve("MGH10", meyer, from(50, 5, 16),
            {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872},
            {{0.02, 4000, 250}}, {5.6096364710e-3, 6.1813463463e3, 3.4522363462e2}, 8.7945855171e1),
      curve("MGH17", osborne, from(0, 10, 33),
            {0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751,
             0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490,
             0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406},
            {{0.5, 1.5, -1, 0.01, 0.02}},
            {3.7541005211e-1, 1.9358469127, -1.4646871366, 1.2867534640e-2, 2.2122699662e-2}, 5.4648946975e-5),
  };
}

/// Moré, Garbow and Hillstrom 1981: zero residuals, some of them with a singular matrix at the minimum.
inline std::vector<Problem> textbook() {
  const double r5 = std::sqrt(5.0), r10 = std::sqrt(10.0), r90 = std::sqrt(90.0);
  return {
      {"Rosenbrock",
       [](const Numbers& b) { return Numbers{10 * (b[1] - b[0] * b[0]), 1 - b[0]}; },
       {{-1.2, 1}, {5, -7}},
       {1, 1}},
      {"Powell singular",
       [=](const Numbers& b) {
         const Number p = b[1] - 2 * b[2], q = b[0] - b[3];
         return Numbers{b[0] + 10 * b[1], r5 * (b[2] - b[3]), p * p, r10 * q * q};
       },
       {{3, -1, 0, 1}},
       {0, 0, 0, 0}},
      {"Powell badly scaled",
       [](const Numbers& b) { return Numbers{1e4 * b[0] * b[1] - 1, exp(-b[0]) + exp(-b[1]) - 1.0001}; },
       {{0, 1}},
       {1.098159e-5, 9.106146}},
      {"Brown badly scaled",
       [](const Numbers& b) { return Numbers{b[0] - 1e6, b[1] - 2e-6, b[0] * b[1] - 2}; },
       {{1, 1}},
       {1e6, 2e-6}},
      {"Beale",
       [](const Numbers& b) {
         const Number y = b[1];
         return Numbers{1.5 - b[0] * (1 - y), 2.25 - b[0] * (1 - y * y), 2.625 - b[0] * (1 - y * y * y)};
       },
       {{1, 1}},
       {3, 0.5}},
      {"Wood",
       [=](const Numbers& b) {
         return Numbers{10 * (b[1] - b[0] * b[0]), 1 - b[0],           r90 * (b[3] - b[2] * b[2]), 1 - b[2],
                        r10 * (b[1] + b[3] - 2),   (b[1] - b[3]) / r10};
       },
       {{-3, -1, -3, -1}},
       {1, 1, 1, 1}},
  };
}

/// Minima on limits, directions in which nothing changes.
inline std::vector<Problem> bounded() {
  std::vector<Problem> out;
  Problem rosenbrock = textbook()[0];
  rosenbrock.name = "Rosenbrock below 0.5";  // on the limit the rest is a parabola: b1 = 0.5^2
  rosenbrock.box = {{-2, -2}, {0.5, 2}};
  rosenbrock.minimum = {0.5, 0.25};
  rosenbrock.squares = 0.25;
  out.push_back(rosenbrock);
  Problem corner = textbook()[0];
  corner.name = "Rosenbrock above 1.5";
  corner.box = {{1.5, -1}, {4, 1}};
  corner.starts = {{1.6, 0.5}, {4, -1}};
  corner.minimum = {1.5, 1};
  corner.squares = 100 * 1.25 * 1.25 + 0.25;
  out.push_back(corner);
  Problem misra = certified()[0];
  misra.name = "Misra1a within wide limits";
  misra.box = {{1, 1e-6}, {1e4, 1}};
  out.push_back(misra);
  // Only the sum s of two matters, the third does not matter at all. The root of the slope over s by bisection.
  double low = 0, high = 3;
  for (int i = 0; i < 60; ++i) {
    const double s = 0.5 * (low + high), e = std::exp(0.1 * s);
    (s - 3 + 0.1 * e * (e - 1) > 0 ? high : low) = s;
  }
  const double rest = std::exp(0.1 * low) - 1;
  out.push_back({"a sum alone",
                 [](const Numbers& b) { return Numbers{b[0] + b[1] - 3, exp(0.1 * (b[0] + b[1])) - 1, 0 * b[2]}; },
                 {{0, 0, 5}, {-4, 7, 5}},
                 {low, 0, 5},
                 (low - 3) * (low - 3) + rest * rest,
                 {{-10, -10, -10}, {10, 10, 10}}});
  return out;
}

}  // namespace problems
