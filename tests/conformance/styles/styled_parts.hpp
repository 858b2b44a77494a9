// SPDX-License-Identifier: Apache-2.0
// A row whose keys fall into parts: each is attended alone, and then only its answer and its log_sum_exp are left.
#pragma once

#include "tests/conformance/styles/styled_row.hpp"

namespace attestone::styles {

struct StyledAnswer {
  std::vector<float> out;  ///< [value_dim]
  float log_sum_exp = -INFINITY;
};

/// Parts of `style.part_keys` neighbouring keys, merged one after another by `style.merge`, sigmoid or late_correction,
/// in f32; the sink is in the first part. `row` has a pair or a sink.
StyledAnswer merged_parts(const Style&, const StyledRow& row);

}  // namespace attestone::styles
