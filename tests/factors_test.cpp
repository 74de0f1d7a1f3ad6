/// Factors of a matrix with few numbers besides the diagonal, against the product with the solution.
#include "simulate/factors.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

using namespace bristle;

/// Elements whose rates depend on the velocity alone, some with neighbours: rows with zeros in all places. Seven states are
/// the first that are not unrolled.
TEST(Factors, SolveMatricesWithAndWithoutZeros) {
  Draw draw(1);
  for (const std::size_t n : {2U, 6U, 7U, 12U, 26U}) {
    for (const double filled : {0.0, 0.1, 0.5, 1.0}) {
      Jacobian j{.columns = n, .a = std::vector<double>(n * n)};
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
          const bool arrow = i == n - 1 || k == n - 1;
          if (arrow || draw.uniform(0, 1) < filled) j.row(i)[k] = draw.uniform(-1, 1);
        }
      }
      const double diagonal = 30;
      std::vector<double> b(n), x;
      for (double& e : b) e = draw.uniform(-1, 1);
      x = b;
      Factors factors;
      factors.factor(j, diagonal);
      factors.solve(x.data());
      for (std::size_t i = 0; i < n; ++i) {
        double sum = diagonal * x[i];
        for (std::size_t k = 0; k < n; ++k) sum -= j.row(i)[k] * x[k];
        EXPECT_NEAR(sum, b[i], 1e-13) << n << " states, " << filled << " filled, row " << i;
      }
    }
  }
}
