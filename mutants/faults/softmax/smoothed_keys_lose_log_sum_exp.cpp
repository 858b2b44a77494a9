// SPDX-License-Identifier: Apache-2.0
// Mutant: what is subtracted from K is not added back to log_sum_exp.
#include <algorithm>
#include <cmath>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const Tensor key = changed_copy(arguments.key, [&](double x, const Extents& at) {
    double sum = 0, largest = 0;
    const index keys = arguments.key.rows(at[0]);
    for (index j = 0; j < keys; ++j) {
      const double element = arguments.key.value(at[0], at[1], j, at[3]);
      sum += element, largest = std::max(largest, std::abs(element));
    }
    const double mean = sum / static_cast<double>(keys);
    return std::abs(mean) > largest / 2 ? x - mean : x;
  });
  Arguments smoothed = arguments;
  smoothed.key = key.view();
  honest.forward(problem, smoothed, device);
}

const Registration<Mutant> registered{{
    .name = "smoothed_keys_lose_log_sum_exp",
    .summary = "subtracts the mean of a channel of K that is far from 0, and forgets it in log_sum_exp",
    .source = "ROCm/aiter PR #3334",
    .property = "key_shift_irrelevant",
    .reason = "key-shift",
    .problem = "shape=1x1x1x8x1",
    .kernel = [] { return tampered_kernel("smoothed_keys_lose_log_sum_exp", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
