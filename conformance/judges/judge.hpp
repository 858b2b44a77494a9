// SPDX-License-Identifier: Apache-2.0
// Judges: the acceptance rules of other projects, to see what each would have let through.
#pragma once

#include <string_view>
#include <vector>

#include "reference/problem.hpp"

namespace attestone {

/// What a rule is shown of one case: O as the kernel, a golden answer and a low-precision baseline compute it, in the
/// order batch, head, query, channel.
struct Exhibit {
  const Problem& problem;
  std::vector<double> got;
  std::vector<double> golden;    ///< the truth, rounded to the output format
  std::vector<double> baseline;  ///< plain attention with every intermediate in the input format
};

/// A named acceptance rule: one file in conformance/judges/.
struct Judge {
  std::string_view name;
  std::string_view rule;  ///< in one line
  bool (*accepts)(const Exhibit&);
};

}  // namespace attestone
