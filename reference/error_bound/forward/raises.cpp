// SPDX-License-Identifier: Apache-2.0
// Counting possible raises, from the end of the sequence to its beginning.
#include "reference/error_bound/forward/raises.hpp"

#include <algorithm>
#include <limits>

namespace attestone {

std::vector<index> raises_of_all(std::span<const Enclosed> sequence) {
  std::vector<index> raises;
  raises.reserve(sequence.size());
  double running = -std::numeric_limits<double>::infinity();
  for (const Enclosed& each : sequence) {
    raises.push_back(!raises.empty() && each.highest > running);
    running = std::max(running, each.lowest);
  }
  index after = 0;
  for (auto count = raises.rbegin(); count != raises.rend(); ++count) {
    const index raised = *count;
    *count = after;
    after += raised;
  }
  return raises;
}

/// A run raises most often if it begins with the member: its maximum is then the least. The first raise behind t is
/// the first t' that may exceed t; a run from t' on raises no less often than what is left of this one.
std::vector<index> raises_of_runs(std::span<const Enclosed> sequence) {
  std::vector<index> raises(sequence.size());
  std::vector<std::size_t> records;  // of what follows, seen from here: the last one is nearest and smallest
  for (std::size_t t = sequence.size(); t-- > 0;) {
    const auto exceeds = std::partition_point(
        records.rbegin(), records.rend(), [&](std::size_t at) { return !(sequence[at].highest > sequence[t].lowest); });
    raises[t] = exceeds == records.rend() ? 0 : raises[*exceeds] + 1;
    while (!records.empty() && !(sequence[records.back()].highest > sequence[t].highest)) records.pop_back();
    records.push_back(t);
  }
  return raises;
}

/// most[k]: from every maximum below it, k + 1 raises are possible. A member with the bounds [a, b] turns a maximum
/// r < b into max(r, a) at least: b joins the list, and the first that is not above a gives way to its neighbour.
std::vector<index> raises_of_picks(std::span<const Enclosed> sequence) {
  std::vector<index> raises(sequence.size());
  std::vector<double> most;  // descending
  const auto first_not_above = [&](double bound) {
    return std::ranges::partition_point(most, [bound](double x) { return x > bound; });
  };
  for (std::size_t t = sequence.size(); t-- > 0;) {
    const auto out_of_reach = first_not_above(sequence[t].lowest);
    raises[t] = out_of_reach - most.begin();
    if (out_of_reach != most.end()) most.erase(out_of_reach);
    most.insert(first_not_above(sequence[t].highest), sequence[t].highest);
  }
  return raises;
}

std::vector<index> possibly_larger(std::span<const Enclosed> sequence) {
  std::vector<double> highest;
  for (const Enclosed& each : sequence) highest.push_back(each.highest);
  std::ranges::sort(highest);
  std::vector<index> larger;
  for (const auto& [lowest, own] : sequence)
    larger.push_back(highest.end() - std::ranges::upper_bound(highest, lowest) - (own > lowest));
  return larger;
}

}  // namespace attestone
