// SPDX-License-Identifier: Apache-2.0
// Eight query rows of one kv head in double-double arithmetic: for rows whose double bound left elements open.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "reference/certified/forward/row_task.hpp"

namespace attestone {

constexpr index wide_lanes = 8;

/// Eight double-double numbers.
struct WideLanes {
  alignas(64) double high[wide_lanes] = {};
  alignas(64) double low[wide_lanes] = {};
};

/// The rows, and the channels each of them needs: lane l wants rows[l].channels; null rows are idle.
struct WideTask {
  std::array<const RowTask*, wide_lanes> rows{};
  std::array<const std::vector<index>*, wide_lanes> channels{};
};

/// Answers: element `slot` of lane l belongs to the slot-th of its channels.
struct WideSums {
  std::vector<WideLanes> out;        ///< sum p v / sum p
  std::vector<WideLanes> magnitude;  ///< sum p |v| / sum p, in `high` only, and but for rounding in double
  WideLanes exponent;                ///< M, in `high` only: weights are scaled by 2^-M; see exponent_limit
  WideLanes total;                   ///< sum p
  WideLanes log_sum_exp;
};

/// Relative errors of the tile's exp and tanh, and the absolute one of log_sum_exp given sum p, which is at most
/// log_sum_exp_error (1 + |log_sum_exp| + |ln sum p|).
constexpr double wide_exp_error = 0x1p-94, wide_tanh_error = 0x1p-92, wide_log_sum_exp_error = 0x1p-90;

void sum_rows_wide(const WideTask&, WideSums&);

/// The elementary functions alone, for their test: pairs (high, low) in and out, at most 8 at a time.
void exp_wide(WideLanes&);
void tanh_wide(WideLanes&);

}  // namespace attestone
