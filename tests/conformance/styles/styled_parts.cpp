// SPDX-License-Identifier: Apache-2.0
// Merging by a sigmoid of the difference, or by the log_sum_exp of all (docs/tolerance.md, "Merges").
#include "tests/conformance/styles/styled_parts.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::styles {
namespace {

std::vector<StyledAnswer> answers_of_parts(const StyledRow& row, index part_keys) {
  index last = 0;
  for (const StyledPair& pair : row.pairs()) last = std::max(last, pair.key);
  std::vector<StyledAnswer> answers;
  for (index first = 0; first <= last; first += part_keys) {
    const StyledRow part = row.part(first, first + part_keys, first == 0);
    if (part.pairs().empty() && !part.sink()) continue;
    const StyledSums sums = part.sums();
    answers.push_back({sums.out, part.log_sum_exp(sums)});
  }
  return answers;
}

/// ln(e^a + e^b); NaN if either is.
float log_of_both(float a, float b) {
  if (a == -INFINITY) return b;
  if (b == -INFINITY) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

/// out - sigmoid(lse_c - lse) (out - out_c)
StyledAnswer by_sigmoid(StyledAnswer all, const StyledAnswer& part) {
  if (part.log_sum_exp == -INFINITY) return all;
  const float lead = all.log_sum_exp - part.log_sum_exp;
  const float sigmoid = 1 / (1 + std::exp(lead));
  for (std::size_t c = 0; c < all.out.size(); ++c) all.out[c] -= sigmoid * (all.out[c] - part.out[c]);
  const float log_sigmoid = std::min(lead, 0.0f) - std::log1p(std::exp(-std::abs(lead)));
  all.log_sum_exp -= log_sigmoid;
  return all;
}

StyledAnswer corrected_late(const std::vector<StyledAnswer>& parts) {
  StyledAnswer all{std::vector<float>(parts.front().out.size())};
  for (const StyledAnswer& part : parts) all.log_sum_exp = log_of_both(all.log_sum_exp, part.log_sum_exp);
  for (const StyledAnswer& part : parts) {
    const float weight = std::exp(part.log_sum_exp - all.log_sum_exp);
    for (std::size_t c = 0; c < all.out.size(); ++c) all.out[c] += weight * part.out[c];
  }
  return all;
}

}  // namespace

StyledAnswer merged_parts(const Style& style, const StyledRow& row) {
  std::vector<StyledAnswer> parts = answers_of_parts(row, style.part_keys);
  if (style.descending) std::ranges::reverse(parts);
  if (style.merge == MergeForm::late_correction) return corrected_late(parts);
  StyledAnswer all = parts.front();
  for (std::size_t s = 1; s < parts.size(); ++s) all = by_sigmoid(std::move(all), parts[s]);
  return all;
}

}  // namespace attestone::styles
