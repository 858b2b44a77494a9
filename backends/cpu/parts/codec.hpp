// SPDX-License-Identifier: Apache-2.0
// Storage formats as the CPU kernels see them: rows decoded to float, weights rounded to the input format.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/simd/codes.hpp"
#include "backends/cpu/simd/coming_rows.hpp"
#include "backends/cpu/simd/panel.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {

/// The names of the formats that the CPU kernels work on.
std::vector<std::string_view> codec_formats();

/// Bytes of the channels of one row.
inline index row_bytes(const ConstView& view) { return view.dtype().bytes(view.extents()[3]); }

/// Decodes rows of one tensor of such a format, whatever its strides.
class FloatRows {
 public:
  explicit FloatRows(const ConstView&);

  /// The channels of row (batch, head, row).
  void read(index batch, index head, index row, float* channels) const;
  /// Some of them, the first one to channels[0].
  void read(index batch, index head, index row, Interval some, float* channels) const;
  /// Whole rows: where they lie, if they are floats at equal distances; else decoded into `buffer` [rows][channels].
  FloatMatrixRows read(index batch, index head, Interval rows, float* buffer) const;

 private:
  using Decode = void (*)(const std::byte* row, index stride, index count, float* channels);
  ConstView view_;
  Decode decode_;
};

/// Where rows lie that will be read soon, if their channels are neighbours; else none.
ComingRows coming_rows(const ConstView&, index batch, index head, Interval rows);

/// Rows of floats at equal distances, to be written.
struct WritableFloatRows {
  float* data;
  index stride;
};

/// Where rows of such floats lie; nothing if they are of another format, elsewhere, or not there.
std::optional<WritableFloatRows> floats_in_place(const View&, index batch, index head, Interval rows);

/// Rounds `factor` times these rows to the format of the view, once; nothing where nobody asks for the tensor.
void store_float_rows(const View&, index batch, index head, Interval rows, FloatMatrixRows from, double factor);

/// Rounds weights to `format` in place: what a kernel does that multiplies P and V in their storage format.
void round_weights(std::span<float> weights, const DType& format);
/// Rounds numbers of any size and sign, as dS.
void round_gradients(std::span<float> gradients, const DType& format);

}  // namespace attestone::inline backends
