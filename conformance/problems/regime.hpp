// SPDX-License-Identifier: Apache-2.0
// Regimes: the kinds of problems that faults tell apart, along axes that a suite crosses.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// One kind of problems along an axis. Those of an axis exclude each other.
struct Regime {
  std::string name;                             ///< "past_a_tile"
  std::function<void(Problem&, Draws&)> enter;  ///< makes a problem that is complete along earlier axes one of it
  std::function<bool(const Problem&)> is;
  bool hides = false;  ///< its problems show little of what is wrong along other axes
  bool large = false;  ///< its problems take long: only designs that name it hold it
};

/// Ways in which problems differ: one file in conformance/problems/regimes/.
struct Axis {
  std::string_view name;
  std::string_view aim;              ///< which faults begin or end along it, in one sentence
  int turn;                          ///< axes enter a problem in this order: extents first
  std::vector<Regime> (*regimes)();  ///< of what is registered
};

/// All axes in their order.
std::vector<const Axis*> axes_in_turn();

}  // namespace attestone::inline conformance
