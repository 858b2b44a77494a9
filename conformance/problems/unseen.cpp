// SPDX-License-Identifier: Apache-2.0
// Drawing problems until the kernel takes enough of them.
#include "conformance/problems/unseen.hpp"

#include "conformance/problems/generate.hpp"
#include "reference/require.hpp"

namespace attestone::inline conformance {
namespace {

constexpr std::size_t wanted = 24;
constexpr index most_draws = 1000;  // of a kernel that refuses nearly everything

}  // namespace

std::vector<Problem> unseen_problems(const Kernel& kernel) {
  require(kernel.fingerprint().has_value(), "only outside kernels are given unseen problems");
  std::vector<Problem> problems;
  for (index draw = 0; draw < most_draws && problems.size() < wanted; ++draw) {
    Problem problem = random_problem(*kernel.fingerprint(), draw);
    if (kernel.takes(problem)) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace attestone::inline conformance
