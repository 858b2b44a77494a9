// SPDX-License-Identifier: Apache-2.0
// Reductions of errors over all axes but one.
#include "conformance/verdict/accuracy_by_place.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/verdict/error_field.hpp"

namespace attestone::inline conformance {
namespace {

constexpr std::size_t row_axis = 2;
constexpr index most_places = 16;
// Runs of consecutive numbers that are listed one by one.
constexpr std::size_t most_runs = 4;

void add(PlaceAccuracy& all, const PlaceAccuracy& more) {
  all.elements += more.elements;
  all.beyond_bound += more.beyond_bound;
  all.r_det = std::max(all.r_det, more.r_det);
  all.max_ulp = std::max(all.max_ulp, more.max_ulp);
}

void join(PlaceAccuracy& all, const PlaceAccuracy& more) {
  all.last = more.last;
  add(all, more);
}

/// One entry for each index along each axis; along that of rows `first` and `last` are the row's number.
std::array<std::vector<PlaceAccuracy>, 4> along_each(const ErrorField& field) {
  std::array<std::vector<PlaceAccuracy>, 4> all;
  for (std::size_t axis = 0; axis < all.size(); ++axis) {
    all[axis].resize(static_cast<std::size_t>(field.extents()[axis]));
    for (std::size_t i = 0; i < all[axis].size(); ++i)
      all[axis][i].first = all[axis][i].last = axis == row_axis ? field.rows()[i] : static_cast<index>(i);
  }
  std::size_t element = 0;
  for (PlaceAccuracy& batch : all[0])
    for (PlaceAccuracy& head : all[1])
      for (PlaceAccuracy& row : all[2]) {
        PlaceAccuracy own;
        for (PlaceAccuracy& channel : all[3]) {
          const double share = field.r_det()[element];
          const PlaceAccuracy one{
              .elements = share >= 0, .beyond_bound = share > 1, .r_det = share, .max_ulp = field.ulps()[element]};
          add(channel, one), add(own, one);
          ++element;
        }
        for (PlaceAccuracy* place : {&batch, &head, &row}) add(*place, own);
      }
  return all;
}

/// Accuracies in blocks that begin at multiples of the least power of two for which they are few enough.
std::vector<PlaceAccuracy> blocks(const std::vector<PlaceAccuracy>& single) {
  index size = 1;
  while (single.back().last / size >= most_places) size *= 2;
  std::vector<PlaceAccuracy> all;
  for (const PlaceAccuracy& place : single) {
    if (place.elements == 0) continue;
    if (all.empty() || place.first / size != all.back().first / size)
      all.push_back(place);
    else
      join(all.back(), place);
  }
  return all;
}

/// "heads 0-2, 7": the places that hold a share of at least `share`; nothing if more than `most` of them do.
std::string part_of_axis(std::string_view axis, const std::vector<PlaceAccuracy>& single, double share, double most) {
  std::vector<std::pair<index, index>> runs;
  index judged = 0, found = 0;
  bool in_run = false;
  for (const PlaceAccuracy& place : single) {
    if (place.elements == 0) continue;
    ++judged;
    const bool holds = place.r_det >= share;
    found += holds;
    if (holds && in_run) runs.back().second = place.last;
    if (holds && !in_run) runs.emplace_back(place.first, place.last);
    in_run = holds;
  }
  if (static_cast<double>(found) > most * static_cast<double>(judged)) return {};
  const std::string plural = axis == "query" ? "queries" : axis == "batch" ? "batches" : std::string(axis) + 's';
  if (runs.size() > most_runs)
    return fmt::format("{} of {} {} from {} to {}", found, judged, plural, runs.front().first, runs.back().second);
  std::vector<std::string> words;
  for (const auto& [first, last] : runs)
    words.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  return fmt::format("{} {}", found == 1 ? axis : plural, fmt::join(words, ", "));
}

/// All elements beyond their bound; where there is none, those with at least half of the worst share, along axes of
/// which they hold the smaller part.
std::string place_of_worst(const ErrorField& field, const PlaceAccuracy& all,
                           const std::array<std::vector<PlaceAccuracy>, 4>& single) {
  if (all.r_det == 0) return "nowhere";
  const double share = all.beyond_bound > 0 ? std::nextafter(1.0, 2.0) : all.r_det / 2;
  const double most = all.beyond_bound > 0 ? std::nextafter(1.0, 0.0) : 0.5;
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::string part = part_of_axis(field.axes()[axis], single[axis], share, most);
    const bool sampled = axis == row_axis && field.rows().back() + 1 != std::ssize(field.rows());
    if (!part.empty()) parts.push_back((sampled ? "sampled " : "") + part);
  }
  return parts.empty() ? "everywhere" : fmt::format("{}", fmt::join(parts, ", "));
}

TensorAccuracy accuracy_of(const ErrorField& field) {
  TensorAccuracy accuracy;
  accuracy.tensor = field.tensor();
  const std::array<std::vector<PlaceAccuracy>, 4> single = along_each(field);
  for (const PlaceAccuracy& batch : single[0]) join(accuracy.all, batch);
  if (accuracy.all.elements == 0) return accuracy;
  accuracy.where = place_of_worst(field, accuracy.all, single);
  for (std::size_t axis = 0; axis < 4; ++axis)
    if (field.extents()[axis] > 1) accuracy.axes.push_back({field.axes()[axis], blocks(single[axis])});
  return accuracy;
}

}  // namespace

std::vector<TensorAccuracy> accuracy_by_place(const std::vector<ErrorField>& fields) {
  std::vector<TensorAccuracy> all;
  for (const ErrorField& field : fields) {
    if (field.r_det().empty()) continue;
    TensorAccuracy accuracy = accuracy_of(field);
    if (accuracy.all.elements > 0) all.push_back(std::move(accuracy));
  }
  return all;
}

}  // namespace attestone::inline conformance
