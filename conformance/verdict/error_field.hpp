// SPDX-License-Identifier: Apache-2.0
// The errors of all elements of one tensor, each at its place: what statistics over axes are taken of.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "reference/tensor/tensor.hpp"

namespace attestone::inline conformance {

/// The names of a tensor's axes: batch, head, query, channel; those of dK have keys for rows.
using AxisNames = std::array<std::string_view, 4>;

/// Starts without a single judged element. Rows may be a sample of the tensor's.
class ErrorField {
 public:
  /// The mark of places where nothing was judged: padding, rows that a filter leaves out, elements without a bound.
  static constexpr double none = -1;

  /// `rows`: the numbers of the rows that may be judged, ascending; as many as `extents` has.
  ErrorField(std::string_view tensor, const AxisNames& axes, const Extents& extents, std::vector<index> rows);

  /// `row` counts rows(). `ulps` is `none` of an element that is not finite on both sides, or without a unit.
  void set(index batch, index head, index row, index channel, double r_det, double ulps);

  std::string_view tensor() const { return tensor_; }
  const AxisNames& axes() const { return axes_; }
  const Extents& extents() const { return extents_; }
  const std::vector<index>& rows() const { return rows_; }
  /// Row-major, by extents().
  const std::vector<double>& r_det() const { return r_det_; }
  const std::vector<double>& ulps() const { return ulps_; }

 private:
  std::string_view tensor_;
  AxisNames axes_;
  Extents extents_;
  std::vector<index> rows_;
  std::vector<double> r_det_, ulps_;
};

}  // namespace attestone::inline conformance
