// SPDX-License-Identifier: Apache-2.0
// The keys before and behind a cut, each side as a problem of its own.
#pragma once

#include <array>
#include <optional>

#include "conformance/properties/metamorphic/relation.hpp"

namespace attestone::inline conformance {

/// The keys of one side of the cut.
struct CutSide {
  index first, keys;
  bool takes_sink;  ///< a sink counts once
};

/// A cut of its own for every seed; of a problem with at least two keys.
std::array<CutSide, 2> cut_sides(const Problem&);

/// The problem over the keys of one side: with a mask that shows that side's share of the pairs, or with a bias of
/// -infinity in place of the mask. Nothing if neither can be said.
std::optional<Problem> problem_of_side(const Problem&, const CutSide&);

/// The side's share of the inputs; `part` is its problem.
Inputs inputs_of_side(const Problem&, const Inputs& whole, const Problem& part, const CutSide&);

}  // namespace attestone::inline conformance
