// SPDX-License-Identifier: Apache-2.0
// The largest number of each group, then its codes.
#include "backends/cpu/quantized/shared_scales.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {

index Sharing::group(index row, index channel, index channels) const {
  constexpr index together = 8;  // rows of a tile of the instruction
  switch (of) {
    case Of::tensor:
      return 0;
    case Of::block:
      return row / count;
    case Of::query_thread:
      return row / count * together + row % together;
    case Of::key_thread:
      return row / count * (together / 2) + row % together / 2;
    case Of::channel:
      return channel;
    case Of::channels:
      break;
  }
  return (row * channels + channel) / count;
}

CodedRows coded(std::span<const float> rows, index channels, const Quantizer& quantizer, const Sharing& sharing) {
  const auto group_of = [&](std::size_t element) {
    const auto at = static_cast<index>(element);
    return static_cast<std::size_t>(sharing.group(at / channels, at % channels, channels));
  };
  std::vector<float> largest;
  for (std::size_t element = 0; element < rows.size(); ++element) {
    const std::size_t group = group_of(element);
    if (group >= largest.size()) largest.resize(group + 1);
    largest[group] = std::max(largest[group], std::fabs(rows[element]));
  }
  CodedRows coded;
  for (std::size_t element = 0; element < rows.size(); ++element) {
    const float most = largest[group_of(element)], scale = quantizer.scale(most);
    coded.numbers.push_back(quantizer.code(rows[element], most, scale));
    coded.scales.push_back(scale);
  }
  return coded;
}

}  // namespace attestone
