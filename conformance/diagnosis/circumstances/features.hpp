// SPDX-License-Identifier: Apache-2.0
// Features of a problem besides its extents, each of which can be taken away by itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// Something that plain problems do not have.
struct ProblemFeature {
  enum class Of { mask, score, number, lengths, layout, format, fill, schedule };

  Of of;
  std::string says;                              ///< "a mask, as causal", "a sink"
  std::function<void(Problem&)> remove;          ///< makes the problem plain in this
  std::function<bool(const Problem&)> is_there;  ///< whether another problem has it, be it in another form
};

/// The features of a problem, in the order of its text.
std::vector<ProblemFeature> features_beside_extents(const Problem&);

}  // namespace attestone::inline conformance
