// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor by which its gain is told: a sequence, a head, a block of rows, a channel.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "conformance/verdict/error_field.hpp"

namespace attestone::inline conformance {

/// All of a tensor, or what lies between two places of one axis.
struct TensorPart {
  std::optional<std::size_t> axis = {};  ///< none: the whole tensor
  index first = 0, last = 0;             ///< both included

  bool holds(const Extents& at) const { return !axis || (first <= at[*axis] && at[*axis] <= last); }
  /// "on the whole", "in head 2", "in query 64 to 127", with the names of the axes.
  std::string text(const AxisNames&) const;
};

/// Walks through the elements of a tensor once and names the parts that are worth a bound of their own: those that are
/// further from the truth than the roundings of the answer alone may take them.
class PartScan {
 public:
  /// Rows of a block: a tile of most kernels, or some of them.
  static constexpr index block_rows = 64;

  /// `roundoff` is that of the answer's format.
  PartScan(const Extents&, double roundoff);

  void add(const Extents& at, double truth, double answer);
  /// The part that is furthest off along each axis with several parts, if it is worth a bound.
  std::vector<TensorPart> suspects() const;

 private:
  struct Sums {
    double error = 0, squares = 0, count = 0;  ///< (answer - truth) truth, truth^4, elements that are not 0
  };

  double roundoff_;
  std::array<std::vector<Sums>, 4> sums_;  ///< of each axis by part
};

}  // namespace attestone::inline conformance
