// SPDX-License-Identifier: Apache-2.0
// Random problems for split kernels, and how near the answers of an emulated one come to their bounds.
#pragma once

#include <random>
#include <string>

#include "tests/reference/error_bound/emulated_split.hpp"

namespace attestone::emulation {

/// A drawn case: a problem line, the name of a fill, and a kernel.
struct MergeCase {
  std::string line, fill;
  SplitRecipe recipe;

  /// A case with 1 to 9 parts, some of which may see no key. `smaller` suits backward passes.
  static MergeCase drawn(std::mt19937_64&, MergeForm, const std::string& dtype, bool smaller);
  std::string text() const;
};

/// The largest errors as shares of their bounds. NaN is infinite.
struct MergeShares {
  double deterministic = 0, probabilistic = 0, log_sum_exp = 0, log_sum_exp_probabilistic = 0;
  index rows = 0, elements = 0, unbounded = 0;

  void see(const MergeShares&);
  double worst() const;
};

/// The largest shares over all rows of the case.
MergeShares shares_of(const MergeCase&);

}  // namespace attestone::emulation
