// SPDX-License-Identifier: Apache-2.0
// Number formats by name: what elements of tensors are stored in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "reference/number_formats/number_format.hpp"
#include "reference/random/draws.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// A named format: one file in reference/dtypes/.
struct DType {
  /// The names that other programs have for the format, if any.
  struct Exchange {
    std::string_view safetensors = {};    ///< "BF16"
    std::optional<int> dlpack_code = {};  ///< DLDataTypeCode; the bits are said beside it
  };

  std::string_view name;
  std::string_view summary;
  std::shared_ptr<const NumberFormat> codes;
  Exchange exchange = {};
  bool needs_scales = false;  ///< too narrow for a tensor by itself: a number for each block of elements goes with it
  Drawing drawing = {};       ///< how random problems draw it for their inputs

  /// The number a code stands for; exact.
  double decode(std::uint64_t code) const { return codes->decode(code); }
  /// The code for x, rounded once and directly from the double.
  std::uint64_t encode(double x, Rounding rounding = Rounding::nearest_even,
                       Overflow overflow = Overflow::standard) const {
    return codes->encode(x, rounding, overflow);
  }
  /// The codes for as many numbers.
  void encode_row(std::span<const double> row, std::span<std::uint64_t> into) const { codes->encode_row(row, into); }
  /// The number of the format that stands for x.
  double round(double x, Rounding rounding = Rounding::nearest_even, Overflow overflow = Overflow::standard) const {
    return decode(encode(x, rounding, overflow));
  }

  int storage_bits() const { return codes->facts().bits; }
  /// That `count` codes take, one behind the other: see reference/tensor/bits.hpp.
  index bytes(index count) const { return (count * storage_bits() + 7) / 8; }
  int precision() const { return codes->facts().precision; }
  int min_exponent() const { return codes->facts().min_exponent; }
  bool has_infinity() const { return codes->facts().has_infinity; }
  bool has_nan() const { return codes->facts().has_nan; }

  double unit_roundoff() const;  ///< u: |round(x) - x| <= u |x| in the normal range, to nearest
  double underflow() const;      ///< eta: |round(x) - x| <= eta below it: half the smallest subnormal
  double smallest_normal() const;
  double smallest_subnormal() const;
  double largest() const;  ///< the largest finite number
  std::uint64_t largest_code() const { return codes->facts().largest_code; }

  bool operator==(const DType& other) const { return name == other.name; }
};

/// The registered format of that name; UserError with a suggestion if there is none.
const DType& dtype(std::string_view name);

}  // namespace attestone
