// SPDX-License-Identifier: Apache-2.0
// How often a running maximum may still rise behind each member of a sequence of which bounds are known.
#pragma once

#include <span>
#include <vector>

#include "reference/shape.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// A number, or the largest of several.
struct Enclosed {
  double lowest, highest;
};

/// For each member, how many of those behind it may raise the maximum of all that were seen: of the whole sequence.
std::vector<index> raises_of_all(std::span<const Enclosed>);

/// Counts raises if the members seen are a run of neighbours that holds the member, whichever it is. Never too small;
/// exact where no two bounds overlap.
std::vector<index> raises_of_runs(std::span<const Enclosed>);

/// Counts raises if the members seen, and those that follow, are picked from the sequence at will, in its order.
std::vector<index> raises_of_picks(std::span<const Enclosed>);

/// For each member, how many others may exceed it: what may follow it in any order.
std::vector<index> possibly_larger(std::span<const Enclosed>);

}  // namespace attestone
