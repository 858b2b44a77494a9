// SPDX-License-Identifier: Apache-2.0
// FlashInfer-Bench: an element is wrong only if its absolute and its relative error are large.
#include <algorithm>
#include <cmath>

#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// Any NaN or infinity of the candidate fails. Element i is wrong if |x - r| > 1e-2 and |x - r| / (|r| + 1e-8) > 1e-2;
/// no element may be (a share of 0.95 right ones is asked in low-bit formats). Elements whose reference is no number
/// are not looked at, as the comparisons are false. log_sum_exp is judged by the same numbers; the project's is of
/// base 2.
bool is_wrong(double x, double reference) {
  constexpr double tolerance = 1e-2, least = 1e-8;
  const double error = std::abs(x - reference);
  return error > tolerance && error / (std::abs(reference) + least) > tolerance;
}

bool accepts(const Exhibit& exhibit) {
  for (std::size_t i = 0; i < exhibit.got.size(); ++i)
    if (!std::isfinite(exhibit.got[i]) || is_wrong(exhibit.got[i], exhibit.rounded[i])) return false;
  return true;
}

const Registration<Judge> registered{{
    .name = "flashinfer_bench",
    .rule = "no element of O or log_sum_exp with |x - fl(g)| > 1e-2 and |x - fl(g)| > 1e-2 |fl(g)|, and all are finite",
    .source = "flashinfer-ai/flashinfer-bench, flashinfer_bench/bench/evaluators/default.py",
    .looks_at = {TensorName::out, TensorName::log_sum_exp},
    .usual = "shape=2x8/2x1x257x128 dtype=bf16 seed=1,2,3\n"
             "shape=2x8/2x64x100x128 lengths=64+100 mask=causal dtype=bf16 layout=ragged seed=1,2,3",
    .scaled =
        "decode and ragged prefill with 8 / 2 instead of 32 / 8 heads and shorter lengths; three trials, as there",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
