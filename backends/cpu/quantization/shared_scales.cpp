// SPDX-License-Identifier: Apache-2.0
// The largest number of each group, then its codes.
#include "backends/cpu/quantization/shared_scales.hpp"

#include <algorithm>
#include <cmath>

#include "backends/cpu/parts/interval.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char* memory = "codes and scales";
constexpr index together = 8;  // rows of a tile of the instruction

}  // namespace

index Sharing::group(index row, index channel, index channels) const {
  switch (by) {
    case ScaleSharing::head:
      return 0;
    case ScaleSharing::rows:
      return row / count;
    case ScaleSharing::query_thread:
      return row / count * together + row % together;
    case ScaleSharing::key_thread:
      return row / count * (together / 2) + row % together / 2;
    case ScaleSharing::channel:
      return channel;
    case ScaleSharing::rows_of_channel:
      return row / count * channels + channel;
    case ScaleSharing::channels:
      break;
  }
  return row * tiles_of(channels, count) + channel / count;
}

index Sharing::most_groups(index rows, index channels) const {
  // Threads of a tile that is not whole have some number below those of a whole one.
  const index last = by == ScaleSharing::query_thread || by == ScaleSharing::key_thread
                         ? (rows + together - 1) / together * together
                         : rows;
  return rows == 0 ? 0 : 1 + group(last - 1, channels - 1, channels);
}

CodedRows::CodedRows(Device& device, index rows, index channels, const Sharing& sharing)
    : channels_(channels),
      sharing_(sharing),
      numbers_(device, rows * channels, memory),
      scales_(device, sharing.most_groups(rows, channels), memory) {}

index CodedRows::bytes(index rows, index channels, const Sharing& sharing) {
  return (rows * channels + sharing.most_groups(rows, channels)) * static_cast<index>(sizeof(float));
}

void CodedRows::take(std::span<const float> rows, const Quantizer& quantizer, float fixed_largest) {
  const auto group_of = [&](index at) { return sharing_.group(at / channels_, at % channels_, channels_); };
  const auto elements = static_cast<index>(rows.size());
  std::ranges::fill(scales_.span(), fixed_largest);  // the largest numbers, at first
  for (index at = 0; fixed_largest == 0 && at < elements; ++at) {
    float& largest = scales_[group_of(at)];
    largest = std::max(largest, std::fabs(rows[static_cast<std::size_t>(at)]));
  }
  for (index at = 0; at < elements; ++at) {
    const float largest = scales_[group_of(at)];
    numbers_[at] = quantizer.code(rows[static_cast<std::size_t>(at)], largest, quantizer.scale(largest));
  }
  for (float& largest : scales_.span()) largest = quantizer.scale(largest);
}

}  // namespace attestone::inline backends
