// SPDX-License-Identifier: Apache-2.0
// Relative to a low-precision peer, as the tests of FlashAttention 2 judge its forward pass.
#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/judges/judge.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

// Dao-AILab/flash-attention, tests/test_flash_attn.py: out within twice the error of the baseline, plus 1e-5 if causal.
constexpr double factor = 2, causal_slack = 1e-5;

/// The largest distance; NaN counts as infinite, equal infinities as none.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] == b[i] ? 0 : std::abs(a[i] - b[i]);
    largest = std::max(largest, std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference);
  }
  return largest;
}

bool accepts(const Exhibit& exhibit) {
  const double error = largest_difference(exhibit.got, exhibit.golden);
  return error <= factor * largest_difference(exhibit.baseline, exhibit.golden) + causal_slack;
}

const Registration<Judge> registered{{
    .name = "twice_baseline",
    .rule = "max |x - golden| <= 2 max |baseline - golden| + 1e-5",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone
