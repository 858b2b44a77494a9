// SPDX-License-Identifier: Apache-2.0
// One element against the oracle.
#include "tests/reference/certified/backward/gradient_scene.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/reference/certified/forward/mpfr_oracle.hpp"

namespace attestone {

double attained(const Certified& found, const OracleTensor& exact, index row, index channel) {
  const std::size_t at = exact.place(0, 0, row, channel);
  OracleNumber number;
  set(number, exact.value[at].mpfr(), exact.magnitude[at].mpfr());
  const double error = number.distance(found.value);
  fmt::print("  {:.3f} of its bound: value {:.3g} error {:.3g}\n", error / found.bound, found.value, error);
  EXPECT_LE(error, found.bound);
  return error / found.bound;
}

}  // namespace attestone
