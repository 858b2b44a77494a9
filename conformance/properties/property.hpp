// SPDX-License-Identifier: Apache-2.0
// Properties: each is one sentence about every right kernel, and a check that can show it to be false of a wrong one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/trial/trial.hpp"

namespace attestone::inline conformance {

/// A named property: one file in conformance/properties/.
struct Property {
  std::string_view name;
  std::string_view claim;  ///< what is true of every right kernel; a reader can check it by hand
  /// Why the property has nothing to say about a problem; empty if it has.
  std::string (*inapplicable)(const Problem&);
  /// Called only for problems that the kernel supports and to which the property applies.
  Verdict (*check)(Trial&);
  /// Answers that the check reads: it has nothing to say where one of them is not asked for.
  std::vector<TensorName> needs = {};
  /// True if the property judges another call by what is known of the plain one, and so finds faults that it hides.
  bool relation = false;
  /// Asked only of kernels that declare this; none: of every kernel.
  Invariance invariance = Invariance::none;
  bool of_codes = false;  ///< asked only of kernels that say with which codes they compute
};

/// Why a property of gradients has nothing to say: the problem asks for none.
std::string without_gradients(const Problem&);

/// The verdict of a property that compares a changed call with the truth: it convicts only if the unchanged call
/// conforms on the same rows, so that a kernel which is wrong anyway is not accused of something else as well.
///
///   plain    the unchanged call against the truth
///   changed  the changed call against the truth
///   reason   of the verdict if it convicts; `circumstances` begin its evidence: "with NaN in batch 0"
Verdict metamorphic(const Comparison& plain, const Comparison& changed, std::string_view reason,
                    const std::string& circumstances);

}  // namespace attestone::inline conformance
