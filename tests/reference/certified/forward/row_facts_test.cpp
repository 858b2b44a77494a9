// SPDX-License-Identifier: Apache-2.0
// What bounds know of rows: norms that are upper bounds.
#include "reference/certified/forward/row_facts.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "tests/reference/certified/numbers/real.hpp"

namespace attestone {
namespace {

/// Never too small, nor by more than their margin too large: squares add up exactly in 640 bits.
TEST(RowFacts, NormsAreUpperBounds) {
  std::mt19937_64 random(5);
  for (const int exponent : {-900, -300, 0, 300, 900})
    for (std::size_t count = 1; count < 200; ++count) {
      std::vector<double> vector(count);
      Real squares;
      for (double& x : vector) {
        x = std::ldexp(std::normal_distribution<double>()(random), exponent);
        squares += Real(x) * Real(x);
      }
      const Real norm = vector_facts(vector).norm;
      EXPECT_TRUE(squares < norm * norm) << exponent << " " << count;
      EXPECT_TRUE(norm * norm < squares * Real(1 + 0x1p-28)) << exponent << " " << count;
    }
}

}  // namespace
}  // namespace attestone
