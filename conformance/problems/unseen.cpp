// SPDX-License-Identifier: Apache-2.0
// Drawing problems until the kernel takes enough of them.
#include "conformance/problems/unseen.hpp"

#include "conformance/problems/generate.hpp"
#include "reference/require.hpp"

namespace attestone::inline conformance {
namespace {

constexpr std::size_t of_every_run = 24;
constexpr index most_draws_of_each = 40;  // of a kernel that refuses nearly everything

}  // namespace

std::vector<Problem> unseen_problems(const Kernel& kernel) {
  require(kernel.fingerprint().has_value(), "only outside kernels have a fingerprint");
  return unseen_problems(kernel, *kernel.fingerprint(), of_every_run);
}

std::vector<Problem> unseen_problems(const Kernel& kernel, std::uint64_t seed, std::size_t count) {
  std::vector<Problem> problems;
  const index most_draws = most_draws_of_each * static_cast<index>(count);
  for (index draw = 0; draw < most_draws && problems.size() < count; ++draw) {
    Problem problem = random_problem(seed, draw);
    if (kernel.takes(problem)) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace attestone::inline conformance
