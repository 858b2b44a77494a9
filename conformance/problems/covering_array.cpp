// SPDX-License-Identifier: Apache-2.0
// Greedy covering, one row at a time.
#include "conformance/problems/covering_array.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "reference/random/draws.hpp"

namespace attestone::inline conformance {
namespace {

// Rows that are tried for one combination before it counts as impossible.
constexpr int most_tries = 40;

/// The combinations of one set of axes, and which of them are still wanted.
class WantedSet {
 public:
  WantedSet(const std::vector<std::size_t>& axes, const std::vector<std::size_t>& values) : axes_(axes) {
    std::size_t count = 1;
    for (const std::size_t axis : axes_) sizes_.push_back(values[axis]), count *= values[axis];
    wanted_.assign(count, true);
  }

  const std::vector<std::size_t>& axes() const { return axes_; }
  std::size_t size() const { return wanted_.size(); }
  bool wants(std::size_t number) const { return wanted_[number]; }
  void meet(std::size_t number) { wanted_[number] = false; }

  /// The number of the combination that a row holds; nothing while one of its axes is open.
  std::optional<std::size_t> number_in(const CoveringRow& row) const {
    std::size_t number = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (row[axes_[i]] == no_value) return std::nullopt;
      number = number * sizes_[i] + row[axes_[i]];
    }
    return number;
  }
  Combination combination(std::size_t number) const {
    Combination all{axes_, std::vector<std::size_t>(axes_.size())};
    for (std::size_t i = axes_.size(); i-- > 0; number /= sizes_[i]) all.values[i] = number % sizes_[i];
    return all;
  }

 private:
  std::vector<std::size_t> axes_, sizes_;
  std::vector<bool> wanted_;
};

class Builder {
 public:
  explicit Builder(const CoveringTask& task) : task_(task), of_axis_(task.values.size()) {
    for (const auto& axes : task.together) {
      for (const std::size_t axis : axes) of_axis_[axis].push_back(sets_.size());
      sets_.emplace_back(axes, task.values);
    }
  }

  CoveringArray build() {
    CoveringArray all;
    for (std::size_t set = 0; set < sets_.size(); ++set)
      for (std::size_t number = 0; number < sets_[set].size(); ++number) {
        if (!sets_[set].wants(number)) continue;
        if (const auto row = row_with(set, number)) {
          for (WantedSet& each : sets_)
            if (shows(*row, each)) each.meet(*each.number_in(*row));
          all.rows.push_back(*row);
        } else {
          sets_[set].meet(number);
          all.impossible.push_back(sets_[set].combination(number));
        }
      }
    return all;
  }

 private:
  std::optional<CoveringRow> row_with(std::size_t set, std::size_t number) const {
    constexpr std::uint32_t purpose = 3;
    Draws draws(task_.seed, purpose, static_cast<index>(set << 32 | number));
    const Combination seed = sets_[set].combination(number);
    for (int attempt = 0; attempt < most_tries; ++attempt) {
      CoveringRow row(task_.values.size(), no_value);
      for (std::size_t i = 0; i < seed.axes.size(); ++i) row[seed.axes[i]] = seed.values[i];
      // The first tries look for what brings most; the last ones for anything that is possible.
      if (fill(row, static_cast<double>(attempt) / most_tries, draws)) return row;
    }
    return std::nullopt;
  }

  /// True if only members of the set itself hide other values of the row.
  bool shows(const CoveringRow& row, const WantedSet& set) const {
    for (std::size_t axis = 0; axis < row.size(); ++axis)
      if (task_.hides(axis, row[axis]) && std::ranges::count(set.axes(), axis) == 0) return false;
    return true;
  }

  /// Chooses values that hide nothing for all axes without one, in an order that is drawn; with some probability the
  /// first that is possible. Whether there were such values.
  bool fill(CoveringRow& row, double any, Draws& draws) const {
    if (!task_.possible(row)) return false;
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < row.size(); ++axis)
      if (row[axis] == no_value) order.push_back(axis);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(draws.integer(0, static_cast<index>(i) - 1))]);
    return std::ranges::all_of(order, [&](std::size_t axis) { return choose(row, axis, draws.chance(any), draws); });
  }

  bool choose(CoveringRow& row, std::size_t axis, bool any, Draws& draws) const {
    std::vector<std::size_t> values;
    for (std::size_t value = 0; value < task_.values[axis]; ++value)
      if (!task_.hides(axis, value)) values.push_back(value);
    const auto first = draws.integer(0, static_cast<index>(values.size()) - 1);
    std::rotate(values.begin(), values.begin() + first, values.end());
    if (!any) {
      std::vector<std::size_t> brings;
      brings.resize(task_.values[axis]);
      for (const std::size_t value : values) row[axis] = value, brings[value] = wanted_in(row, axis);
      std::ranges::stable_sort(values, std::greater(), [&](std::size_t value) { return brings[value]; });
    }
    return std::ranges::any_of(values, [&](std::size_t value) {
      row[axis] = value;
      return task_.possible(row);
    });
  }

  /// How many wanted combinations of an axis a row holds.
  std::size_t wanted_in(const CoveringRow& row, std::size_t axis) const {
    return static_cast<std::size_t>(std::ranges::count_if(of_axis_[axis], [&](std::size_t set) {
      const auto number = sets_[set].number_in(row);
      return number && sets_[set].wants(*number);
    }));
  }

  const CoveringTask& task_;
  std::vector<WantedSet> sets_;
  std::vector<std::vector<std::size_t>> of_axis_;  ///< the sets that an axis is in
};

}  // namespace

CoveringArray covering_array(const CoveringTask& task) { return Builder(task).build(); }

std::vector<std::vector<std::size_t>> all_sets(const std::vector<std::size_t>& axes, std::size_t strength) {
  std::vector<std::vector<std::size_t>> all;
  std::vector<std::size_t> own;
  const auto extend = [&](auto self, std::size_t from) -> void {
    if (own.size() == strength) return all.push_back(own);
    for (std::size_t i = from; i < axes.size(); ++i) {
      own.push_back(axes[i]);
      self(self, i + 1);
      own.pop_back();
    }
  };
  extend(extend, 0);
  return all;
}

}  // namespace attestone::inline conformance
