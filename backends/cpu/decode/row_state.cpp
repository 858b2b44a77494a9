// SPDX-License-Identifier: Apache-2.0
// One row after the other.
#include "backends/cpu/decode/row_state.hpp"

#include "backends/cpu/decode/row_softmax.hpp"

namespace attestone::inline backends {

RowState::RowState(Device& device, index most_rows, index channels)
    : channels_(channels),
      softmax_(device, most_rows, "maxima and sums of weights"),
      out_(device, most_rows * channels, "output") {}

index RowState::bytes(index most_rows, index channels) {
  return most_rows * (static_cast<index>(sizeof(OnlineSoftmax)) + channels * static_cast<index>(sizeof(float)));
}

void RowState::start(index row, const OnlineSoftmax& sink) {
  softmax_[row] = sink;
  std::fill_n(out(row), channels_, 0.0f);
}

void RowState::weigh(index row, float* S, index count) { shrink(row, weigh_row(S, count, softmax_[row])); }

void RowState::merge(index row, RowState& part) {
  shrink(row, softmax_[row].raise(part.softmax_[row].m));
  part.shrink(row, part.softmax_[row].raise(softmax_[row].m));
  softmax_[row].l += part.softmax_[row].l;
  const float* more = part.out(row);
  for (index c = 0; c < channels_; ++c) out(row)[c] += more[c];
}

void RowState::divide(index row) {
  const float l = softmax_[row].l;
  for (index c = 0; c < channels_; ++c) out(row)[c] = l == 0 ? 0 : out(row)[c] / l;
}

void RowState::shrink(index row, float factor) {
  if (factor == 1) return;
  for (index c = 0; c < channels_; ++c) out(row)[c] *= factor;
}

}  // namespace attestone::inline backends
