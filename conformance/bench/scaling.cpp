// SPDX-License-Identifier: Apache-2.0
// Sorting cells into families.
#include "conformance/bench/scaling.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "conformance/bench/spread.hpp"

namespace attestone::inline conformance {
namespace {

/// The element for which `same` holds; a new one if there is none.
template <class T, class Same>
T& one_of(std::vector<T>& all, Same same, T fresh) {
  const auto found = std::find_if(all.begin(), all.end(), same);
  return found != all.end() ? *found : all.emplace_back(std::move(fresh));
}

}  // namespace

std::string family_of(const Problem& problem) {
  const Shape& s = problem.shape;
  std::string text = problem.text();
  const std::string lengths = fmt::format("x{}x{}x", s.queries, s.keys);
  const std::string names = s.queries == s.keys ? "xNxNx" : fmt::format("x{}xNx", s.queries);
  if (const std::size_t at = text.find(lengths); at != std::string::npos) text.replace(at, lengths.size(), names);
  return text;
}

std::vector<Growth> growths(const BenchResult& result) {
  std::vector<Growth> all;
  for (const BenchCell& cell : result.cells)
    for (const Entry& entry : cell.entries) {
      if (entry.seconds.empty()) continue;
      const std::string family = family_of(cell.problem);
      const auto same = [&](const Growth& growth) {
        return growth.contender == entry.contender && growth.threads == cell.threads && growth.family == family;
      };
      one_of(all, same, Growth{entry.contender, cell.threads, family})
          .points.emplace_back(static_cast<double>(cell.problem.shape.keys), median_of(entry.seconds));
    }
  std::erase_if(all, [](Growth& growth) {
    const std::optional<double> slope = fitted_slope(growth.points);
    growth.slope = slope.value_or(0);
    return !slope;
  });
  return all;
}

std::vector<SpeedUp> speed_ups(const BenchResult& result) {
  std::vector<SpeedUp> all;
  for (const BenchCell& cell : result.cells)
    for (const Entry& entry : cell.entries) {
      if (entry.seconds.empty()) continue;
      const std::string problem = cell.problem.text();
      const auto same = [&](const SpeedUp& one) { return one.contender == entry.contender && one.problem == problem; };
      one_of(all, same, SpeedUp{entry.contender, problem}).points.emplace_back(cell.threads, median_of(entry.seconds));
    }
  std::erase_if(all, [](SpeedUp& one) {
    std::sort(one.points.begin(), one.points.end());
    const double longest = one.points.front().second;
    for (auto& [threads, figure] : one.points) figure = longest / figure;
    return one.points.front().first == one.points.back().first;
  });
  return all;
}

}  // namespace attestone::inline conformance
