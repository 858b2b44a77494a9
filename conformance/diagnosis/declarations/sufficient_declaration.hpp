// SPDX-License-Identifier: Apache-2.0
// The declaration under which a kernel's failures of a bound would be none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// A declaration as it is typed.
struct SufficientDeclaration {
  /// The meaning in words, where that was seen in other ways, too.
  std::vector<std::string> says;
  /// "score_roundoff=0x1p-11", over what the kernel declares. Empty if it was shown that no single field would do.
  std::string declares;
  index problems = 0;  ///< on which the answers are within the bounds of it
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

/// The field, and its least power of two, that explains every failure and all fresh answers of gather_evidence(), all
/// other fields as the kernel declares them: the answers are within two thirds of its bounds; the first failure is told
/// from zeros and from the mean of V, and so are half of the problems that the kernel's own declaration tells from
/// them. Where errors_lean(), only fields count whose errors may. Of several fields the one that widens the
/// probabilistic bounds least, in the geometric mean.
///
/// Nothing if too little was asked or answered to say, or if the fields that are left let everything pass.
///
/// Truths and answers are worked out once. A declaration costs a bound for each problem until one refutes it, the cheap
/// ones first; there are some seventy fields, most of which the first problem refutes, and eight values of each other.
std::optional<SufficientDeclaration> sufficient_declaration(const FailedBound&, const SearchHooks&);

}  // namespace attestone::inline conformance
