// SPDX-License-Identifier: Apache-2.0
// Which parts of a tensor are further off than the rounding of each element explains.
#include "conformance/properties/tensor_part.hpp"

#include <cmath>
#include <fmt/format.h>

#include "reference/error_bound/windows.hpp"

namespace attestone::inline conformance {
namespace {

constexpr std::size_t axis_of_rows = 2;

index places_of_part(std::size_t axis) { return axis == axis_of_rows ? PartScan::block_rows : 1; }

}  // namespace

std::string TensorPart::text(const AxisNames& names) const {
  if (!axis) return "on the whole";
  if (first == last) return fmt::format("in {} {}", names[*axis], first);
  return fmt::format("in {} {} to {}", names[*axis], first, last);
}

PartScan::PartScan(const Extents& extents, double roundoff) : roundoff_(roundoff) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const index parts = (extents[axis] + places_of_part(axis) - 1) / places_of_part(axis);
    if (parts > 1) sums_[axis].resize(static_cast<std::size_t>(parts));
  }
}

void PartScan::add(const Extents& at, double truth, double answer) {
  if (truth == 0) return;
  for (std::size_t axis = 0; axis < sums_.size(); ++axis) {
    if (sums_[axis].empty()) continue;
    Sums& part = sums_[axis][static_cast<std::size_t>(at[axis] / places_of_part(axis))];
    part.error += (answer - truth) * truth;
    part.squares += truth * truth * truth * truth;
    ++part.count;
  }
}

std::vector<TensorPart> PartScan::suspects() const {
  std::vector<TensorPart> all;
  for (std::size_t axis = 0; axis < sums_.size(); ++axis) {
    double furthest = lambda * roundoff_;
    std::optional<TensorPart> suspect;
    for (std::size_t part = 0; part < sums_[axis].size(); ++part) {
      const Sums& sums = sums_[axis][part];
      // With fewer elements, no bound of a part is below that of its elements.
      if (sums.count <= lambda * lambda) continue;
      const double off = std::abs(sums.error) / std::sqrt(sums.squares);
      if (!(off > furthest)) continue;
      furthest = off;
      const index first = static_cast<index>(part) * places_of_part(axis);
      suspect = TensorPart{axis, first, first + places_of_part(axis) - 1};
    }
    if (suspect) all.push_back(*suspect);
  }
  return all;
}

}  // namespace attestone::inline conformance
