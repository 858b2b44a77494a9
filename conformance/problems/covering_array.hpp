// SPDX-License-Identifier: Apache-2.0
// Covering arrays: few rows in which every combination of values of some axes stands at least once.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace attestone::inline conformance {

/// One value for each axis; `no_value` where none is chosen yet.
using CoveringRow = std::vector<std::size_t>;
inline constexpr std::size_t no_value = static_cast<std::size_t>(-1);

/// The task of a covering array.
struct CoveringTask {
  std::vector<std::size_t> values;                 ///< of each axis, how many
  std::vector<std::vector<std::size_t>> together;  ///< sets of axes, each ascending, whose values are all to meet
  /// True if the choices of a row can be together. Asked while rows grow: a row that cannot be never becomes possible.
  std::function<bool(const CoveringRow&)> possible;
  /// True if a value shows little of the others of its row, which then has to meet again elsewhere.
  std::function<bool(std::size_t axis, std::size_t value)> hides = [](std::size_t, std::size_t) { return false; };
  std::uint64_t seed = 1;
};

/// Values of some axes, in the order of the axes.
struct Combination {
  std::vector<std::size_t> axes, values;
  bool operator==(const Combination&) const = default;
};

/// Rows that hold every combination that can be, and those that cannot.
struct CoveringArray {
  std::vector<CoveringRow> rows;
  std::vector<Combination> impossible;  ///< no possible row was found that has it
};

/// Row after row, each made for the first combination that is missing and filled up with the possible values that bring
/// most of the others: the greedy method of D. Cohen et al., "The AETG System" (IEEE Trans. Software Eng. 23, 1997). A
/// pure function of the task.
CoveringArray covering_array(const CoveringTask&);

/// All sets of `strength` of these axes.
std::vector<std::vector<std::size_t>> all_sets(const std::vector<std::size_t>& axes, std::size_t strength);

}  // namespace attestone::inline conformance
