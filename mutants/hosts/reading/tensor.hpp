// SPDX-License-Identifier: Apache-2.0
// A tensor of a call: elements by four indices and strides, read and written as f32 whatever their format.
#pragma once

#include "mutants/hosts/reading/formats.hpp"

namespace attestone::inline mutants::reading {

using Int = std::int64_t;

/// A view of up to four axes. Axes that the tensor lacks have extent 1 and stride 0; an absent tensor is false.
struct Tensor {
  void* data = nullptr;
  Format format = Format::f32;
  Int extent[4] = {1, 1, 1, 1};
  Int stride[4] = {0, 0, 0, 0};

  Tensor() = default;
  explicit Tensor(const attestone_tensor& t) : data(t.data), format(format_of(t)) {
    for (int axis = 0; axis < t.ndim && axis < 4; ++axis) {
      extent[axis] = t.shape[axis];
      stride[axis] = t.strides[axis];
    }
  }
  explicit operator bool() const { return data != nullptr; }

  Int offset(Int i, Int j = 0, Int k = 0, Int l = 0) const {
    return i * stride[0] + j * stride[1] + k * stride[2] + l * stride[3];
  }
  /// The place of the last element.
  Int last() const { return offset(extent[0] - 1, extent[1] - 1, extent[2] - 1, extent[3] - 1); }

  float load(Int place) const { return reading::load(data, format, place); }
  void store(Int place, float x) const { reading::store(data, format, place, x); }
  float get(Int i, Int j = 0, Int k = 0, Int l = 0) const { return load(offset(i, j, k, l)); }
  void put(float x, Int i, Int j = 0, Int k = 0, Int l = 0) const { store(offset(i, j, k, l), x); }

  /// `count` channels of the row whose first element is at the place.
  void load_row(float* to, Int place, Int count) const {
    for (Int c = 0; c < count; ++c) to[c] = load(place + c * stride[3]);
  }
  void store_row(const float* from, Int place, Int count) const {
    for (Int c = 0; c < count; ++c) store(place + c * stride[3], from[c]);
  }
  void load_row(float* to, Int b, Int h, Int r, Int count) const { load_row(to, offset(b, h, r), count); }
  void store_row(const float* from, Int b, Int h, Int r, Int count) const { store_row(from, offset(b, h, r), count); }
};

}  // namespace attestone::inline mutants::reading
