// SPDX-License-Identifier: Apache-2.0
// The mean, the groups, the largest number of each, and then every code.
#include "reference/quantization/rows_as_read.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reference/quantization/code_rules.hpp"
#include "reference/require.hpp"

namespace attestone {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double single(double x) { return static_cast<double>(static_cast<float>(x)); }

/// Which scale an element has, by number.
index group_of(const OperandCodes& codes, index row, index channel, index channels) {
  constexpr index tile_rows = 8;  // of the matrix instruction whose rows threads share
  const index count = std::max<index>(codes.count, 1), part = row / count, row_in_tile = row % tile_rows;
  switch (codes.sharing) {
    case ScaleSharing::head:
      return 0;
    case ScaleSharing::rows:
      return part;
    case ScaleSharing::query_thread:
      return part * tile_rows + row_in_tile;
    case ScaleSharing::key_thread:
      return part * (tile_rows / 2) + row_in_tile / 2;
    case ScaleSharing::channel:
      return channel;
    case ScaleSharing::channels:
      break;
  }
  return row * ((channels + count - 1) / count) + channel / count;
}

/// The mean over the rows, channel by channel, rounded to their format; and how far apart those are to which a kernel
/// may round it whose sum is not exact.
void find_mean(std::span<const double> rows, const OperandCodes& codes, const DType& format, RowsAsRead& read) {
  const std::size_t channels = read.mean.size();
  std::vector<double> sums(channels), sizes(channels);
  for (std::size_t at = 0; at < rows.size(); ++at)
    sums[at % channels] += rows[at], sizes[at % channels] += std::abs(rows[at]);
  const double count = static_cast<double>(rows.size() / channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = sums[c] / count, error = codes.mean_error * sizes[c] / count;
    read.mean[c] = format.round(mean);
    read.mean_gap[c] = format.round(mean + error) - format.round(mean - error);
  }
}

/// Calls visit(element, number of its group).
template <class Visit>
void for_each_in_group(const OperandCodes& codes, std::size_t elements, index channels, const Visit& visit) {
  for (std::size_t at = 0; at < elements; ++at) {
    const auto place = static_cast<index>(at);
    visit(at, static_cast<std::size_t>(group_of(codes, place / channels, place % channels, channels)));
  }
}

/// The largest size of each group; NaN if one of its numbers is not finite.
std::vector<double> largest_of_groups(std::span<const double> rows, index channels, const OperandCodes& codes) {
  std::vector<double> largest;
  for_each_in_group(codes, rows.size(), channels, [&](std::size_t at, std::size_t group) {
    if (group >= largest.size()) largest.resize(group + 1);
    const double size = std::isfinite(rows[at]) ? std::abs(rows[at]) : not_a_number;
    if (!(size <= largest[group])) largest[group] = std::isnan(largest[group]) ? not_a_number : size;
  });
  return largest;
}

/// Codes follow from the mean: where a kernel's may be another one, those of its channel may, and where the largest
/// number of a group is one of those, all of the group.
void find_slack(const OperandCodes& codes, std::span<const double> before, std::span<const double> largest,
                const DType& format, double factor, RowsAsRead& read) {
  if (std::ranges::all_of(read.mean_gap, [](double gap) { return gap == 0; })) return;
  const std::size_t channels = read.mean.size();
  const double roundoff = 2 * (codes.centring == Centring::rounded ? format : dtype("f32")).unit_roundoff();
  const auto shift = [&](std::size_t at) {
    const double gap = read.mean_gap[at % channels] * std::abs(factor);
    return gap == 0 ? 0 : gap + roundoff * std::abs(before[at]);
  };
  std::vector<double> shift_of_largest(largest.size());
  const auto width = static_cast<index>(channels);
  for_each_in_group(codes, before.size(), width, [&](std::size_t at, std::size_t group) {
    if (std::abs(before[at]) + shift(at) >= largest[group])
      shift_of_largest[group] = std::max(shift_of_largest[group], shift(at));
  });
  read.slack.resize(before.size());
  for_each_in_group(codes, before.size(), width, [&](std::size_t at, std::size_t group) {
    const double moved = shift(at) + shift_of_largest[group];
    if (moved > 0) read.slack[at] = moved + 2 * coarseness(codes) * (largest[group] + shift_of_largest[group]);
  });
}

}  // namespace

RowsAsRead rows_as_read(std::span<const double> rows, index channels, const OperandCodes& codes, const DType& format,
                        double factor) {
  require(codes.happen() && channels > 0, "codes are asked of an operand that has some");
  const auto width = static_cast<std::size_t>(channels);
  RowsAsRead read{{rows.begin(), rows.end()}, std::vector<double>(width), std::vector<double>(width), {}};
  if (rows.empty()) return read;
  if (codes.centring != Centring::none) {
    find_mean(rows, codes, format, read);
    const DType& of_difference = codes.centring == Centring::rounded ? format : dtype("f32");
    for (std::size_t at = 0; at < rows.size(); ++at)
      read.numbers[at] = of_difference.round(single(rows[at] - read.mean[at % width]));
  }
  if (factor != 1)
    for (double& x : read.numbers) x = single(x * single(factor));
  const std::vector<double> largest = largest_of_groups(read.numbers, channels, codes);
  find_slack(codes, read.numbers, largest, format, factor, read);
  std::vector<std::optional<CodeGroup>> groups;
  for (const double most : largest)
    groups.push_back(std::isnan(most) ? std::nullopt : std::optional(CodeGroup(codes.rule, most)));
  for_each_in_group(codes, read.numbers.size(), channels, [&](std::size_t at, std::size_t group) {
    read.numbers[at] = groups[group] ? groups[group]->read(read.numbers[at]) : not_a_number;
  });
  return read;
}

}  // namespace attestone
