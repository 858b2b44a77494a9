// SPDX-License-Identifier: Apache-2.0
// Errors by place.
#include "conformance/verdict/error_field.hpp"

#include "reference/require.hpp"

namespace attestone::inline conformance {

ErrorField::ErrorField(std::string_view tensor, const AxisNames& axes, const Extents& extents, std::vector<index> rows)
    : tensor_(tensor),
      axes_(axes),
      extents_(extents),
      rows_(std::move(rows)),
      r_det_(static_cast<std::size_t>(element_count(extents)), none),
      ulps_(r_det_.size(), none) {
  require(std::ssize(rows_) == extents[2], "every row of a field of errors has a number");
}

void ErrorField::set(index batch, index head, index row, index channel, double r_det, double ulps) {
  const index place = ((batch * extents_[1] + head) * extents_[2] + row) * extents_[3] + channel;
  r_det_[static_cast<std::size_t>(place)] = r_det;
  ulps_[static_cast<std::size_t>(place)] = ulps;
}

}  // namespace attestone::inline conformance
