// SPDX-License-Identifier: Apache-2.0
// SOL-ExecBench: one element in a hundred may be anything finite.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// NaN and infinities fail, in the reference too, but for -infinity in both, as its workloads of attention allow; zeros
/// fail unless all of r is 0. Of the other elements 99 % must have |x - r| <= 1e-2 + 1e-2 |r|. There is no cap on an
/// error. log_sum_exp is of base 2 there, so that its absolute tolerance is 1e-2 ln 2 here.
bool accepts(const Exhibit& exhibit) {
  constexpr double tolerance = 1e-2, share = 0.99;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < exhibit.got.size(); ++i) {
    const double x = exhibit.got[i], r = exhibit.rounded[i];
    if (x == -infinity && r == -infinity) continue;
    if (!std::isfinite(x) || !std::isfinite(r)) return false;
    ++compared;
  }
  if (compared == 0) return true;
  const auto is_zero = [](double element) { return element == 0; };
  if (std::ranges::all_of(exhibit.got, is_zero) && !std::ranges::all_of(exhibit.rounded, is_zero)) return false;
  const double unit = exhibit.tensor == TensorName::log_sum_exp ? std::numbers::ln2 : 1;
  const std::size_t apart =
      count_apart(exhibit.got, exhibit.rounded, {.absolute = unit * tolerance, .relative = tolerance});
  return 1 - static_cast<double>(apart) / static_cast<double>(compared) >= share;
}

const Registration<Judge> registered{{
    .name = "sol_exec_bench",
    .rule =
        "|x - fl(g)| <= 1e-2 + 1e-2 |fl(g)| for 99 % of the elements of O and log_sum_exp; all are finite, not all 0",
    .source = "NVIDIA/SOL-ExecBench at 8d2237d (April 2026), src/sol_execbench/core/bench/correctness.py and "
              "core/data/workload.py",
    .looks_at = {TensorName::out, TensorName::log_sum_exp},
    .usual = "shape=1x32/8x1x73x128 dtype=bf16 seed=1,2,3,4,5,6,7,8,9,10\n"
             "shape=1x32/8x1x46x128 dtype=bf16 seed=1,2,3,4,5,6,7,8,9,10",
    .scaled = "nothing: the two workloads of paged decode in its repository, ten rounds, as there; rows lie one after "
              "the other, not in pages. Workloads of its data set may have tolerances of their own",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
