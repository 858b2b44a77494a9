// SPDX-License-Identifier: Apache-2.0
// Correct split kernels, emulated one rounding at a time: the keys of a row fall into parts, each part is attended
// alone, and the parts are merged. And wrong ones, on request.
#pragma once

#include "tests/reference/error_bound/emulated_kernel.hpp"

namespace attestone::emulation {

/// In which order parts are merged.
enum class MergeOrder { one_after_another, pairwise, all_at_once };

/// The fault of a wrong merge.
enum class MergeFault {
  none,
  rescale_dropped,  ///< the second part joins as if it had the same maximum, or the same lse
  part_repeated,    ///< the first part is merged twice
  base_two,         ///< the first part's m or lse is in base 2
};

struct SplitRecipe {
  Recipe within;  ///< the arithmetic of parts and merges
  MergeForm form = MergeForm::rescaled_sums;
  index parts = 2;
  bool scattered = false;    ///< key j is in part j % parts, not in a run of neighbours; some parts may stay empty
  bool sink_merged = false;  ///< the sink is a part of its own
  MergeOrder order = MergeOrder::one_after_another;
  std::string stored_in = {};  ///< a format: o or out of each part is rounded to it
  MergeFault fault = MergeFault::none;
};

/// The answer of a split kernel. `numerics` gives the cast of the weights and the size of the exp error.
Row answer(const Problem&, const Inputs&, const Numerics&, const SplitRecipe&, index batch, index head, index query);

/// `numerics` with the merges of the recipe.
Numerics declared(Numerics numerics, const SplitRecipe&);

}  // namespace attestone::emulation
