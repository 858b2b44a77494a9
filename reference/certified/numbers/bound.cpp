// SPDX-License-Identifier: Apache-2.0
// Evaluating the theorem. Every quantity here is >= 0, so that the evaluation errs relatively, and `margin` covers it.
#include "reference/certified/numbers/bound.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace attestone {
namespace {

/// The theorem's premise: tau, sum_error and total_error are at most this.
constexpr double small = 0x1p-22;
/// Covers all products of two small errors, and the rounding of this evaluation itself (docs/certified.md, "Margin").
constexpr double margin = 1 + 0x1p-18;

/// count * smallest, as the product would be rounded. Without a product: processors take a hundred cycles for one that
/// is subnormal.
double losses(double count, double smallest) {
  constexpr double limit = 0x1p51;
  if (smallest != std::numeric_limits<double>::denorm_min() || !(count < limit)) return count * smallest;
  return std::bit_cast<double>(static_cast<std::uint64_t>(std::llrint(count)));
}

}  // namespace

RowCertificate row_certificate(const Arithmetic& a, const RowMagnitudes& m) {
  const double score_error = m.raw_score * (a.dot_error + a.scale_error + a.dot_error * a.scale_error) +
                             m.capped * a.cap_error + m.biased * a.bias_error + losses(m.score_terms, a.smallest);
  RowCertificate bound;
  bound.weight = (score_error + a.exp_error) * margin;
  if (!(bound.weight <= small && a.sum_error <= small && a.total_error <= small)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {infinity, infinity, infinity, infinity, infinity};
  }
  constexpr double lost_factor = 16;  // 2 |v| per lost weight, over a denominator >= 1/2, doubled for rescaled tiles
  const double lost = m.terms * lost_factor * a.lost_weight;
  bound.by_mean = (bound.weight + a.sum_error) * margin;
  bound.by_out = (bound.weight + a.total_error + 2 * a.unit) * margin;
  // Products of the sums and of this bound may underflow, `lost` times the peak among them.
  const double absolute = (lost * m.value_peak + losses(4 * m.terms + 1, a.smallest)) * m.value_factor;
  bound.absolute = m.value_peak == 0 ? 0 : absolute * margin;
  bound.by_log_sum_exp = (bound.weight + a.total_error + lost) * margin;
  return bound;
}

}  // namespace attestone
