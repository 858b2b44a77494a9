// SPDX-License-Identifier: Apache-2.0
// Merging by log_sum_exp, and propagating the errors of the parts.
#include "conformance/properties/metamorphic/merged_row.hpp"

#include <cmath>
#include <limits>

namespace attestone::inline conformance {
namespace {

// Differences, exponentials, logarithm, products, sums and quotient are taken here in double: fewer than 16 roundings.
constexpr double rounding = 0x1p-49;

}  // namespace

MergedRow::MergedRow(PartOfRow left, PartOfRow right) : parts_{std::move(left), std::move(right)} {
  const Partial row = merged(Partial::of_answer(parts_[0].log_sum_exp, parts_[0].out),
                             Partial::of_answer(parts_[1].log_sum_exp, parts_[1].out));
  out_ = row.out(), log_sum_exp_ = row.log_sum_exp();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const bool empty = std::isinf(parts_[i].log_sum_exp);
    weights_[i] = empty ? 0 : std::exp(parts_[i].log_sum_exp - log_sum_exp_);
  }
  one_is_empty_ = std::isinf(parts_[0].log_sum_exp) || std::isinf(parts_[1].log_sum_exp);
  distance_ = one_is_empty_ ? 0 : std::abs(parts_[0].log_sum_exp - parts_[1].log_sum_exp);
  const bool both = weights_[0] > 0 && weights_[1] > 0;
  rounded_distance_ = both ? distance_ : 0;
}

double MergedRow::got(index channel) const {
  return channel == log_sum_exp_channel ? log_sum_exp_ : out_[static_cast<std::size_t>(channel)];
}

double MergedRow::allowed(index channel) const {
  const auto& [left, right] = parts_;
  const double error_left = left.bound->log_sum_exp(), error_right = right.bound->log_sum_exp();
  if (!std::isfinite(error_left + error_right)) return std::numeric_limits<double>::infinity();
  if (channel == log_sum_exp_channel)
    return std::max(error_left, error_right) +
           (std::isfinite(log_sum_exp_) ? rounding * (1 + std::abs(log_sum_exp_)) : 0);
  const auto c = static_cast<std::size_t>(channel);
  const double bound_left = left.bound->out(channel), bound_right = right.bound->out(channel);
  const double moved = largest_move(error_left + error_right);
  return weights_[0] * bound_left + weights_[1] * bound_right +
         moved * (std::abs(left.out[c] - right.out[c]) + bound_left + bound_right) +
         rounding * (1 + rounded_distance_) * (std::abs(left.out[c]) + std::abs(right.out[c]));
}

/// The weights are 1 / (1 + e^d) and 1 / (1 + e^-d), where d is how far apart the parts' log_sum_exp are. An error e of
/// d moves them by w (1 - w) (e^e - 1) at most, which is less than e^(e - |d|): that can be told where w underflows.
double MergedRow::largest_move(double error) const {
  if (one_is_empty_) return 0;
  const double product = weights_[0] * weights_[1];
  return product > 0 ? product * std::expm1(error) : std::exp(error - distance_);
}

}  // namespace attestone::inline conformance
