// SPDX-License-Identifier: Apache-2.0
// K and V in fewer bits: codes of a narrow format, and a scale for each row of each head.
#pragma once

#include "backends/distributed/rank/key_value.hpp"
#include "reference/numerics/stage.hpp"

namespace attestone::inline backends {

/// Row x stands for codes times a scale, in f32: max |x| divided by the largest number of the format. The scale of a
/// row that holds a number that is not finite is NaN; then the signs of its codes are those of infinities, and 0 is
/// NaN.
struct CodedKeys {
  KeyValue codes;   ///< "KV codes"
  KeyValue scales;  ///< "KV scales" [rows][heads][1]
};

/// Each row is divided by its scale and rounded to nearest, ties to even; what is too large becomes the largest number.
CodedKeys encode(Device&, const KeyValue&, const DType& format);

/// Codes times scales, rounded to these formats: "KV".
KeyValue decode(Device&, const CodedKeys&, const DType& key_format, const DType& value_format);

/// How far decode(encode(x)) may be from x, where all x of the row are finite.
RowCast error_of_coding(const DType& format, const DType& of_rows);

}  // namespace attestone::inline backends
