// SPDX-License-Identifier: Apache-2.0
// The theorem's third instance: bounds of the double-double rows, and the decisions that they allow.
#include "reference/certified/forward/double_double_stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/forward/double_double_tile.hpp"
#include "reference/certified/numbers/elementary.hpp"
#include "reference/certified/numbers/enclosure.hpp"

namespace attestone {
namespace {

constexpr double wide_unit = 0x1p-100;  ///< relative error of one double-double operation, generously

/// Relative error of a compensated sum of n terms before its last rounding, relative to the sum of magnitudes.
double compensated_error(double n) { return 4 * (n + 2) * (n + 2) * unit_double * unit_double; }

Arithmetic double_double_arithmetic(double dim, double keys) {
  return {.unit = wide_unit,
          .dot_error = compensated_error(dim),
          .scale_error = wide_unit,
          .exp_error = wide_exp_error,
          .cap_error = wide_tanh_error + 2 * wide_unit,
          .bias_error = wide_unit,
          .sum_error = compensated_error(keys),
          .total_error = compensated_error(keys + 1) + 2 * wide_unit,  // with the sink; times 1 - rate
          .lost_weight = std::ldexp(1.0, lost_weight_exponent),
          .smallest = 0x1p-1070};  // a few subnormal roundings inside an "exact" product
}

class Decider {
 public:
  Decider(const WideRowWork& work, const WideSums& sums, std::size_t lane, Decisions& decisions)
      : work_(work), sums_(sums), lane_(lane), decisions_(decisions) {
    const std::vector<index> keys = work.task.keys();
    const RowMagnitudes magnitudes = work.task.magnitudes(keys, least_score);
    in_range_ = std::fabs(sums.exponent.high[lane]) <= exponent_limit;
    bound_ = row_certificate(
        double_double_arithmetic(static_cast<double>(work.task.head->dim), static_cast<double>(keys.size())),
        magnitudes);
  }

  void decide() {
    if (!in_range_) return;
    const DType &dtype = work_.task.problem->output, &log_dtype = work_.task.problem->log_sum_exp_dtype();
    std::vector<index> still_open;
    for (std::size_t slot = 0; slot < work_.open->channels.size(); ++slot) {
      const index channel = work_.open->channels[slot];
      if (!accept(out(slot), dtype, work_.answer.out(channel))) still_open.push_back(channel);
    }
    work_.open->channels = std::move(still_open);
    if (work_.open->log_sum_exp)
      work_.open->log_sum_exp = !accept(log_sum_exp(), log_dtype, work_.answer.log_sum_exp());
  }

 private:
  bool accept(const Enclosure& enclosure, const DType& dtype, Certified& answer) {
    if (!(enclosure.bound < std::numeric_limits<double>::infinity()) || !std::isfinite(enclosure.high + enclosure.low))
      return false;
    answer = certified(enclosure, dtype);
    decisions_.in_double_double += answer.decided;
    return answer.decided;
  }

  Enclosure out(std::size_t slot) const {
    const double high = sums_.out[slot].high[lane_], low = sums_.out[slot].low[lane_];
    return {high, low, bound_.out(sums_.magnitude[slot].high[lane_], std::fabs(high))};
  }

  Enclosure log_sum_exp() const {
    const double high = sums_.log_sum_exp.high[lane_], low = sums_.log_sum_exp.low[lane_];
    const double rounding =
        wide_log_sum_exp_error * (1 + std::fabs(high) + std::fabs(std::log(sums_.total.high[lane_])));
    return {high, low, bound_.by_log_sum_exp + rounding};
  }

  const WideRowWork& work_;
  const WideSums& sums_;
  std::size_t lane_;
  Decisions& decisions_;
  bool in_range_ = false;
  RowCertificate bound_;
};

}  // namespace

void decide_in_double_double(std::span<const WideRowWork> rows, Decisions& decisions) {
  WideTask task;
  for (std::size_t lane = 0; lane < rows.size(); ++lane) {
    task.rows[lane] = &rows[lane].task;
    task.channels[lane] = &rows[lane].open->channels;
  }
  WideSums sums;
  sum_rows_wide(task, sums);
  for (std::size_t lane = 0; lane < rows.size(); ++lane) Decider(rows[lane], sums, lane, decisions).decide();
}

}  // namespace attestone
