// SPDX-License-Identifier: Apache-2.0
// Where the errors of an answer lie: its accuracy by batch, head, block of rows and block of channels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/shape.hpp"

namespace attestone::inline conformance {

class ErrorField;

/// The accuracy of the judged elements in some consecutive heads, say.
struct PlaceAccuracy {
  index first = 0, last = 0;  ///< both included
  index elements = 0;         ///< that were judged
  index beyond_bound = 0;     ///< of these, with r_det above 1
  double r_det = 0;           ///< the worst error / deterministic bound
  double max_ulp = 0;         ///< of the finite ones, in the unit of Accuracy::max_ulp
};

/// The places along one axis, in order; those without a judged element are left out.
struct AxisAccuracy {
  std::string_view axis;              ///< "batch", "head", "query", "key" or "channel"
  std::vector<PlaceAccuracy> places;  ///< at most 16: blocks of a power of two
};

/// The accuracy of one tensor along each of its axes that is longer than 1.
struct TensorAccuracy {
  std::string_view tensor;  ///< "out", "log_sum_exp", "dquery", ...
  PlaceAccuracy all;
  /// Which batches, heads, rows and channels hold all elements beyond their bound, or, where none is, all those with
  /// at least half of the worst share (axes of which these hold more than half are not named): "head 3, queries 64-127,
  /// channels 0-7"; or "everywhere", or "nowhere" of an answer without error.
  std::string where;
  std::vector<AxisAccuracy> axes;

  double r_det() const { return all.r_det; }
};

/// One for each field that has a judged element. Of a fixed size, whatever the extents; the same for any threads.
std::vector<TensorAccuracy> accuracy_by_place(const std::vector<ErrorField>&);

}  // namespace attestone::inline conformance
