#include "identify/least_squares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bristle/random.hpp"
#include "base/search.hpp"
#include "support/least_squares_problems.hpp"
#ifdef BRISTLE_CERES
#include <ceres/ceres.h>
#endif

using namespace bristle::identify;
using namespace bristle::minimum;
using problems::Number;
using problems::Numbers;
using problems::Problem;

namespace {

std::vector<Problem> all_problems() {
  std::vector<Problem> out = problems::certified();
  for (const auto& more : {problems::textbook(), problems::bounded()}) out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// From every start to the certified values: nine digits of the sum, six of the parameters.
TEST(LeastSquares, FindsTheCertifiedValues) {
  for (const Problem& p : problems::certified()) {
    for (const std::vector<double>& start : p.starts) {
      const Solution s = p.solve(start);
      EXPECT_TRUE(s.converged) << p.name;
      EXPECT_NEAR(2 * s.cost / p.squares, 1, 1e-9) << p.name << " from " << start[0];
      for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(s.q[i] / p.minimum[i], 1, 1e-6) << p.name << " b" << i + 1;
    }
  }
}

TEST(LeastSquares, FindsTheMinimaOfTheTextbooks) {
  for (const Problem& p : problems::textbook()) {
    for (const std::vector<double>& start : p.starts) {
      const Solution s = p.solve(start);
      const bool flat = p.name == "Powell singular";  // of fourth order
      EXPECT_TRUE(s.converged || flat) << p.name;
      EXPECT_LT(s.cost, 1e-20) << p.name;
      for (std::size_t i = 0; i < p.size(); ++i)
        EXPECT_NEAR(s.q[i], p.minimum[i], flat ? 1e-5 : 1e-6 * std::abs(p.minimum[i])) << p.name;
    }
  }
}

/// Limits are reached exactly; a coordinate that does not matter stays where it was.
TEST(LeastSquares, StaysInsideItsBox) {
  for (const Problem& p : problems::bounded()) {
    for (const std::vector<double>& start : p.starts) {
      const Solution s = p.solve(start);
      EXPECT_TRUE(s.converged) << p.name;
      EXPECT_NEAR(2 * s.cost, p.squares, 1e-9 * p.squares) << p.name;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const bool at_limit = p.minimum[i] == p.box.lo[i] || p.minimum[i] == p.box.hi[i];
        if (at_limit) { EXPECT_EQ(s.q[i], p.minimum[i]) << p.name; }
        EXPECT_TRUE(s.q[i] >= p.box.lo[i] && s.q[i] <= p.box.hi[i]) << p.name;
      }
      if (p.name == "a sum alone") { EXPECT_EQ(s.q[2], start[2]); }
    }
  }
}

/// Linear problems with random limits: the least of all minima over faces of the box, found by looking at each face.
TEST(LeastSquares, FindsTheBestFaceOfTheBox) {
  constexpr std::size_t n = 4, m = 9;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto draw = [&](std::uint64_t i, std::uint64_t j) { return 2 * bristle::uniform(seed, i, j) - 1; };
    double A[m][n], y[m];
    for (std::size_t k = 0; k < m; ++k) {
      y[k] = 3 * draw(0, k);
      for (std::size_t i = 0; i < n; ++i) A[k][i] = draw(1 + i, k) + (i > 0 ? 0.9 * A[k][0] : 0);
    }
    auto residuals = [&](const Numbers& b) {
      Numbers r(m);
      for (std::size_t k = 0; k < m; ++k) {
        r[k] = -y[k];
        for (std::size_t i = 0; i < n; ++i) r[k] += A[k][i] * b[i];
      }
      return r;
    };
    Problem p{"linear", residuals, {}, std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
      p.box.lo.push_back(0.5 * draw(20, i) - 0.5);
      p.box.hi.push_back(p.box.lo[i] + 0.1 + draw(21, i) * draw(21, i));
    }
    double least = problems::inf;
    for (int face = 0; face < 81; ++face) {  // each coordinate free, at its lower or at its upper limit
      std::vector<double> q(n), slope(n);
      std::vector<int> place(n);
      for (std::size_t i = 0, f = static_cast<std::size_t>(face); i < n; ++i, f /= 3) {
        place[i] = static_cast<int>(f % 3);
        q[i] = place[i] == 1 ? p.box.lo[i] : place[i] == 2 ? p.box.hi[i] : 0.5 * (p.box.lo[i] + p.box.hi[i]);
      }
      for (int sweep = 0; sweep < 20000; ++sweep) {  // coordinate by coordinate to the minimum over the face
        double change = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (place[i] != 0) continue;
          double gradient = 0, square = 0;
          for (std::size_t k = 0; k < m; ++k) {
            double r = -y[k];
            for (std::size_t j = 0; j < n; ++j) r += A[k][j] * q[j];
            gradient += r * A[k][i];
            square += A[k][i] * A[k][i];
          }
          q[i] -= gradient / square;
          change = std::max(change, std::abs(gradient / square));
        }
        if (change < 1e-13) break;
      }
      bool inside = true;
      for (std::size_t i = 0; i < n; ++i) inside = inside && q[i] >= p.box.lo[i] && q[i] <= p.box.hi[i];
      if (inside) least = std::min(least, p.cost(q.data()));
    }
    for (const double share : {0.0, 0.3, 1.0}) {
      std::vector<double> start(n);
      for (std::size_t i = 0; i < n; ++i) start[i] = p.box.lo[i] + share * (p.box.hi[i] - p.box.lo[i]);
      const Solution s = p.solve(start);
      EXPECT_TRUE(s.converged);
      EXPECT_NEAR(s.cost, least, 1e-10 * least) << "seed " << seed;
    }
  }
}

/// Other units for coordinates and residuals: the same minimum, to the last bit if the units are powers of 2.
TEST(LeastSquares, DoesNotDependOnUnits) {
  for (const Problem& p : all_problems()) {
    const Solution plain = p.solve(p.starts[0]);
    for (const double factor : {0x1p20, 1e6}) {
      std::vector<double> unit;
      for (std::size_t i = 0; i < p.size(); ++i) unit.push_back(i % 2 == 0 ? factor : 1 / factor);
      Problem other = p;
      other.residuals = [&](const Numbers& b) {
        Numbers own = b;
        for (std::size_t i = 0; i < own.size(); ++i) own[i] /= unit[i];
        Numbers r = p.residuals(own);
        for (Number& e : r) e *= factor;
        return r;
      };
      std::vector<double> start = p.starts[0];
      for (std::size_t i = 0; i < start.size(); ++i) {
        start[i] *= unit[i];
        if (other.box.size() > 0) other.box.lo[i] *= unit[i], other.box.hi[i] *= unit[i];
      }
      const Solution s = other.solve(start);
      if (factor == 0x1p20) {
        for (std::size_t i = 0; i < s.q.size(); ++i) EXPECT_EQ(s.q[i] / unit[i], plain.q[i]) << p.name;
        EXPECT_EQ(s.cost, plain.cost * factor * factor) << p.name;
      }
      EXPECT_NEAR(s.cost / factor / factor, plain.cost, 1e-9 * plain.cost + 1e-16) << p.name;
    }
  }
}

/// A point that cannot be computed, by its cost or its derivatives, shortens the step.
TEST(LeastSquares, GoesAroundWhatCannotBeComputed) {
  const Problem p = problems::curve(
      "logarithm", [](const Numbers& b, double x) { return log(b[0] + 0 * x) * x; }, {1, 2}, {-5, -9}, {{3}},
      {std::exp(-4.6)}, 0.2);
  auto gram = [&](const double* q, Gram& out) { return q[0] > 0 && p.gram(q, out); };
  for (const bool with_cost : {false, true}) {
    const Cost cost = with_cost ? Cost([&](const double* q) { return p.cost(q); }) : Cost();
    const Solution s = least_squares(gram, cost, p.limits(), {3.0}, 200, 1e-14);
    EXPECT_TRUE(s.converged);
    EXPECT_NEAR(s.q[0], p.minimum[0], 1e-9);
    EXPECT_NEAR(s.cost, 0.1, 1e-12);
    const Solution none = least_squares(gram, cost, p.limits(), {-1.0}, 200, 1e-14);
    EXPECT_EQ(none.cost, problems::inf);
    EXPECT_FALSE(none.converged);
  }
}

/// Few iterations: never worse than the start, and not called converged.
TEST(LeastSquares, KeepsToItsIterations) {
  const Problem p = problems::certified()[8];
  double last = p.cost(p.starts[0].data());
  for (const int iterations : {0, 1, 3, 10}) {
    const Solution s = p.solve(p.starts[0], iterations);
    EXPECT_FALSE(s.converged);
    EXPECT_LE(s.cost, last);
    last = s.cost;
  }
}

#ifdef BRISTLE_CERES
class Residuals final : public ceres::CostFunction {
 public:
  explicit Residuals(const Problem& p) : p_(p) {
    set_num_residuals(static_cast<int>(p.at(p.starts[0].data()).size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(p.size()));
  }
  bool Evaluate(const double* const* q, double* residuals, double** jacobians) const override {
    const Numbers r = p_.at(q[0]);
    for (std::size_t k = 0; k < r.size(); ++k) {
      residuals[k] = r[k].a;
      if (!std::isfinite(r[k].a)) return false;
      for (std::size_t i = 0; jacobians && jacobians[0] && i < p_.size(); ++i)
        jacobians[0][k * p_.size() + i] = r[k].d[i];
    }
    return true;
  }

 private:
  const Problem& p_;
};

double ceres_cost(const Problem& p, std::vector<double> q) {
  ceres::Problem problem;
  problem.AddResidualBlock(new Residuals(p), nullptr, q.data());
  const Box box = p.limits();
  for (int i = 0; i < static_cast<int>(q.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (std::isfinite(box.lo[k])) problem.SetParameterLowerBound(q.data(), i, box.lo[k]);
    if (std::isfinite(box.hi[k])) problem.SetParameterUpperBound(q.data(), i, box.hi[k]);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.logging_type = ceres::SILENT;
  options.max_num_iterations = 1000;
  options.function_tolerance = options.parameter_tolerance = 1e-16;
  options.gradient_tolerance = 1e-20;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return summary.final_cost;
}
#endif

/// No minimum is above the one that Ceres finds from the same start.
TEST(LeastSquares, IsNeverAboveCeres) {
#ifdef BRISTLE_CERES
  for (const Problem& p : all_problems()) {
    for (const std::vector<double>& start : p.starts) {
      const double theirs = ceres_cost(p, start), ours = p.solve(start).cost;
      EXPECT_LE(ours, theirs * (1 + 1e-9) + 1e-16) << p.name;
    }
  }
#else
  GTEST_SKIP() << "Ceres was not found";
#endif
}

struct Counted {
  std::function<double(const double*)> f;
  int calls = 0;
  Cost cost() {
    return [this](const double* q) {
      ++calls;
      return f(q);
    };
  }
};

TEST(NelderMead, FindsMinimaInsideAndOnLimits) {
  Problem inside = problems::textbook()[0], limited = problems::bounded()[0];
  inside.box = {{-5, -8}, {6, 5}};
  for (const Problem& p : {inside, limited}) {
    for (const std::vector<double>& start : p.starts) {
      Counted f{[&](const double* q) { return q[0] > 5.1 ? NAN : 1 + p.cost(q); }};
      const Solution s = nelder_mead(f.cost(), p.box, start, 0.5, 2000);
      EXPECT_TRUE(s.converged) << p.name;
      EXPECT_NEAR(s.cost, 1 + 0.5 * p.squares, 1e-8) << p.name;
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(s.q[i], p.minimum[i], 1e-3) << p.name;
      EXPECT_LE(f.calls, 2002);
    }
  }
}

TEST(NelderMead, KeepsToItsEvaluations) {
  const Problem p = problems::textbook()[0];
  Counted f{[&](const double* q) { return p.cost(q); }};
  const Solution s = nelder_mead(f.cost(), {{-5, -5}, {5, 5}}, {-1.2, 1}, 0.5, 30);
  EXPECT_FALSE(s.converged);
  EXPECT_LT(s.cost, p.cost(p.starts[0].data()));
  EXPECT_LE(f.calls, 30 + 3);
}

/// Many valleys (Rastrigin, a quarter as deep): the lowest of 100, from the far corner.
TEST(RandomSearch, FindsTheLowestOfManyValleys) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Counted f{[](const double* q) {
      double sum = 0;
      for (int i = 0; i < 2; ++i) sum += q[i] * q[i] + 2.5 * (1 - std::cos(6.283185307179586 * q[i]));
      return q[0] > 4 ? NAN : sum;
    }};
    const Box box{{-5, -5}, {5, 5}};
    const Solution s = random_search(f.cost(), box, {{3.9, 5}}, 1500, seed);
    EXPECT_LE(f.calls, 1500);
    found += s.cost < 0.1 ? 1 : 0;
    const Solution again = random_search(f.cost(), box, {{3.9, 5}}, 1500, seed);
    EXPECT_EQ(s.q, again.q);  // to the last bit
    EXPECT_NE(s.q, random_search(f.cost(), box, {{3.9, 5}}, 1500, seed + 100).q);
  }
  EXPECT_GE(found, 18);
}

TEST(RandomSearch, IsNeverAboveItsStart) {
  Counted f{[](const double* q) { return q[0] == 0.25 ? 0 : INFINITY; }};
  const Solution s = random_search(f.cost(), {{0, 0}, {1, 1}}, {{0.25, 0.5}}, 100, 1);
  EXPECT_EQ(s.cost, 0);
  EXPECT_EQ(s.q, (std::vector<double>{0.25, 0.5}));
  EXPECT_LE(f.calls, 100);
}

}  // namespace
