// SPDX-License-Identifier: Apache-2.0
// The declaration under which a kernel's failures of a bound would be none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// A declaration in words and as it is typed.
struct SufficientDeclaration {
  std::vector<std::string> says;  ///< "stores scores in f16"; one for each arithmetic
  std::string declares;           ///< "score_roundoff=0x1p-11", over what the kernel declares
  index problems = 0;             ///< on which the answers are within the bounds of it
};

/// A kernel that fails a bound.
struct FailedBound {
  const Kernel& kernel;
  std::vector<Problem> problems;  ///< on which it does; the one that failed first, and the least one last
  bool gradients = false;         ///< whether its gradients fail, or its answers
};

/// Two hooks of whoever searches.
struct SearchHooks {
  std::function<void()> check;                               ///< called now and then; may throw
  std::function<bool(const std::string& declares)> accepts;  ///< the last word on a declaration
};

/// The least declaration of a known arithmetic, or, where there is none, of two at once, or of merged parts, that
/// explains every failure and all fresh answers of gather_evidence(): they are within its bounds; the first failure is
/// told from zeros and from the mean of V, and so are half of the problems that the kernel's own declaration tells from
/// them. Where errors_lean(), only arithmetics count whose errors may. Least: the one that widens the probabilistic
/// bounds least, in the geometric mean; each further field must be worth half of their width. Nothing if there is none,
/// or if the kernel refuses most of what is asked.
///
/// Truths and answers are worked out once. A declaration costs a bound for each problem until one refutes it, the cheap
/// ones first; there are some 150 of one arithmetic, and 1300 of two.
std::optional<SufficientDeclaration> sufficient_declaration(const FailedBound&, const SearchHooks&);

}  // namespace attestone::inline conformance
