// SPDX-License-Identifier: Apache-2.0
// The mean, the groups, the largest number of each, and then every code.
#include "reference/quantization/rows_as_read.hpp"

#include <algorithm>
#include <bit>
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
    case ScaleSharing::rows_of_channel:
      return part * channels + channel;
    case ScaleSharing::channels:
      break;
  }
  return row * ((channels + count - 1) / count) + channel / count;
}

/// True if no number influences the scale of another.
bool has_fixed_scale(const OperandCodes& codes) { return codes.fixed_largest > 0 || codes.rule == CodeRule::f16; }

/// Where the mean of an element stands.
std::size_t mean_place(const RowsAsRead& read, std::size_t at, std::size_t channels) {
  return at / channels / static_cast<std::size_t>(read.mean_rows) * channels + at % channels;
}

const DType& format_of_mean(const OperandCodes& codes, const DType& operand) {
  return codes.centring == Centring::whole_in_f32 ? dtype("f32") : operand;
}
const DType& format_of_difference(const OperandCodes& codes, const DType& operand) {
  return codes.centring == Centring::rounded ? operand : dtype("f32");
}

/// The mean over rows, channel by channel, rounded; and how far apart those are to which a kernel may round it whose
/// sum is not exact.
void find_mean(std::span<const double> rows, std::size_t channels, const OperandCodes& codes, const DType& format,
               RowsAsRead& read) {
  std::vector<double> sums(read.mean.size()), sizes(sums.size()), counts(sums.size());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const std::size_t place = mean_place(read, at, channels);
    sums[place] += rows[at], sizes[place] += std::abs(rows[at]), counts[place] += 1;
  }
  const DType& of_mean = format_of_mean(codes, format);
  for (std::size_t place = 0; place < sums.size(); ++place) {
    const double count = std::max(counts[place], 1.0);  // of no rows the mean is 0
    const double mean = sums[place] / count, error = codes.mean_error * sizes[place] / count;
    read.mean[place] = of_mean.round(mean);
    read.mean_gap[place] = of_mean.round(mean + error) - of_mean.round(mean - error);
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

/// The number behind each group's scale: its largest size, NaN if a member is not finite, or the fixed size.
std::vector<double> largest_of_groups(std::span<const double> rows, index channels, const OperandCodes& codes) {
  std::vector<double> largest;
  for_each_in_group(codes, rows.size(), channels, [&](std::size_t at, std::size_t group) {
    if (group >= largest.size()) largest.resize(group + 1, codes.fixed_largest);
    if (has_fixed_scale(codes)) return;
    const double size = std::isfinite(rows[at]) ? std::abs(rows[at]) : not_a_number;
    if (!(size <= largest[group])) largest[group] = std::isnan(largest[group]) ? not_a_number : size;
  });
  return largest;
}

/// Codes follow from the mean: where a kernel's may be another one, those of its channel may, and where the largest
/// number of a group is one of those, all of the group.
void find_slack(const OperandCodes& codes, std::span<const double> largest, std::size_t channels, const DType& format,
                double factor, RowsAsRead& read) {
  if (std::ranges::all_of(read.mean_gap, [](double gap) { return gap == 0; })) return;
  const double roundoff = 2 * format_of_difference(codes, format).unit_roundoff();
  const auto shift = [&](std::size_t at) {
    const double gap = read.mean_gap[mean_place(read, at, channels)] * std::abs(factor);
    return gap == 0 ? 0 : gap + roundoff * std::abs(read.before[at]);
  };
  std::vector<double> shift_of_largest(largest.size());
  const auto width = static_cast<index>(channels);
  for_each_in_group(codes, read.before.size(), width, [&](std::size_t at, std::size_t group) {
    // Rotated, each number of a row holds some of all.
    const double here = codes.rotated ? std::numeric_limits<double>::infinity() : shift(at);
    if (!has_fixed_scale(codes) && std::abs(read.before[at]) + here >= largest[group])
      shift_of_largest[group] = std::max(shift_of_largest[group], here);
  });
  read.slack.resize(read.before.size());
  for_each_in_group(codes, read.before.size(), width, [&](std::size_t at, std::size_t group) {
    const double moved = shift(at) + shift_of_largest[group];
    if (moved > 0) read.slack[at] = moved + 2 * coarseness(codes) * (largest[group] + shift_of_largest[group]);
  });
}

/// The numbers that the codes of `read.before` stand for, and how far another order of operations may take them.
void read_codes(const OperandCodes& codes, const std::vector<double>& largest, index channels, RowsAsRead& read) {
  std::vector<std::optional<CodeGroup>> groups;
  for (const double most : largest)
    groups.push_back(std::isnan(most) ? std::nullopt : std::optional(CodeGroup(codes.rule, most)));
  const std::size_t count = read.before.size();
  read.numbers.resize(count);
  if (codes.quotient_error > 0) read.slack.resize(count);
  for_each_in_group(codes, count, channels, [&](std::size_t at, std::size_t group) {
    read.numbers[at] = groups[group] ? groups[group]->read(read.before[at]) : not_a_number;
    if (codes.quotient_error > 0 && groups[group])
      read.slack[at] += groups[group]->slack(read.before[at], codes.quotient_error);
  });
}

}  // namespace

void rotate_row(std::span<double> row) {
  if (!std::has_single_bit(row.size())) return;
  for (std::size_t c = 0; c < row.size(); ++c)
    if (is_negated(static_cast<index>(c))) row[c] = -row[c];
  for (std::size_t apart = 1; apart < row.size(); apart *= 2)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if ((c & apart) != 0) continue;
      const double a = row[c], b = row[c + apart];
      row[c] = single(a + b), row[c + apart] = single(a - b);
    }
  const double root = single(1 / std::sqrt(static_cast<double>(row.size())));
  for (double& x : row) x = single(x * root);
}

RowsAsRead rows_as_read(std::span<const double> given, index channels, const OperandCodes& codes, const DType& format,
                        double factor, std::span<const double> batch) {
  require(codes.happen() && channels > 0, "codes are asked of an operand that has some");
  const auto width = static_cast<std::size_t>(channels), padding = static_cast<std::size_t>(codes.mean_padding) * width;
  std::vector<double> rows(given.begin(), given.end());
  if (padding > 0) rows.resize((rows.size() + padding - 1) / padding * padding);
  const std::size_t count = rows.size() / width;
  const std::span<const double> averaged = codes.mean_of_batch ? batch : std::span<const double>(rows);
  RowsAsRead read;
  read.before = rows;
  const bool by_parts = codes.mean_rows > 0 && !codes.mean_of_batch;
  const std::size_t all =
      by_parts ? static_cast<std::size_t>(codes.mean_rows) : std::max(count, averaged.size() / width);
  read.mean_rows = std::max<index>(static_cast<index>(all), 1);
  read.mean.resize(by_parts ? (count + all - 1) / all * width : width);
  read.mean_gap.resize(read.mean.size());
  if (codes.centring != Centring::none) {
    find_mean(averaged, width, codes, format, read);
    const DType& of_difference = format_of_difference(codes, format);
    for (std::size_t at = 0; at < rows.size(); ++at)
      read.before[at] = of_difference.round(single(rows[at] - read.mean[mean_place(read, at, width)]));
  }
  if (codes.rotated)
    for (std::size_t row = 0; row < count; ++row) rotate_row(std::span(read.before).subspan(row * width, width));
  if (factor != 1)
    for (double& x : read.before) x = single(x * single(factor));
  const std::vector<double> largest = largest_of_groups(read.before, channels, codes);
  find_slack(codes, largest, width, format, factor, read);
  read_codes(codes, largest, channels, read);
  for (std::vector<double>* each : {&read.numbers, &read.before, &read.slack})
    each->resize(std::min(each->size(), given.size()));
  return read;
}

}  // namespace attestone
