// SPDX-License-Identifier: Apache-2.0
// Whether two steps of the ladder agree, up to the roundings of double.
#pragma once

#include <gtest/gtest.h>

#include "reference/attention/answer.hpp"
#include "tests/random_call.hpp"

namespace attestone {

/// Scores below 100 err by less than 2^-44, and so do weights, relative to their sum; values are below 8.
inline constexpr double roundings = 0x1p-40;

/// Equal (infinities too), or apart by roundings only.
inline void expect_close(const Answer& got, const Answer& want, const Problem& problem) {
  const auto close = [](double a, double b) { return a == b || std::abs(a - b) <= roundings; };
  const Shape& shape = problem.shape;
  for_each_element({shape.batch, shape.heads, shape.queries, shape.value_dim}, [&](index b, index h, index i, index c) {
    const auto channel = static_cast<std::size_t>(c);
    ASSERT_TRUE(close(got.out(b, h, i)[channel], want.out(b, h, i)[channel])) << problem.text();
    ASSERT_TRUE(close(got.log_sum_exp(b, h, i), want.log_sum_exp(b, h, i))) << problem.text();
  });
}

}  // namespace attestone
