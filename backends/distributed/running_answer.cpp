// SPDX-License-Identifier: Apache-2.0
// Merging answers row by row.
#include "backends/distributed/running_answer.hpp"

#include <cmath>
#include <limits>

#include "backends/cpu/attend/merge.hpp"
#include "backends/distributed/elements.hpp"

namespace attestone {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

float* floats(const View& view, index batch, index head, index row) {
  return reinterpret_cast<float*>(view.at(batch, head, row, 0));
}

}  // namespace

RunningAnswer::RunningAnswer(Device& device, index rows, index heads, index value_dim)
    : out_(device, "sum of out", dtype("f32"), rows, heads, value_dim),
      log_sum_exp_(device, "log_sum_exp", dtype("f32"), rows, heads, 1) {
  out_.clear();
  for_each_element(log_sum_exp_.all(),
                   [&](index, index head, index row, index) { log_sum_exp_.all().set(0, head, row, 0, nothing); });
}

void RunningAnswer::start_from_sinks(ConstView sinks, Interval heads) {
  const View all = log_sum_exp_.all();
  for_each_element(all, [&](index, index head, index row, index) {
    all.set(0, head, row, 0, sinks.value(0, heads.first + head, 0, 0));
  });
}

void RunningAnswer::merge(std::span<const SequenceBlock> blocks, const HeldRows& rows, const Buffer& out,
                          const Buffer& log_sum_exp) {
  index from = 0;
  for (const SequenceBlock& block : blocks)
    for (index query = block.queries.first; query <= block.queries.last; ++query, ++from)
      for (index head = 0; head < out.heads(); ++head)
        merge_row(head, rows.begin(block.sequence) + query, out.all(), log_sum_exp.all().value(0, head, from, 0), from);
}

/// out -= sigmoid(lse_part - lse) (out - out_part),  lse = max + log1p(e^(min - max)): the same as the published
/// lse -= log sigmoid(lse - lse_part), which loses lse where it starts from a sink far below.
void RunningAnswer::merge_row(index head, index row, ConstView part, double log_sum_exp, index from) {
  if (log_sum_exp == nothing) return;
  const View all = log_sum_exp_.all();
  const double before = all.value(0, head, row, 0), lead = before - log_sum_exp;
  const auto share = static_cast<float>(1 / (1 + std::exp(lead)));
  float* out = floats(out_.all(), 0, head, row);
  for (index c = 0; c < out_.channels(); ++c)
    out[c] -= share * (out[c] - static_cast<float>(part.value(0, head, from, c)));
  all.set(0, head, row, 0, log_of_both(before, log_sum_exp));
}

void RunningAnswer::store(Buffer& out) const { round_into(out_.all(), out.all()); }

}  // namespace attestone
