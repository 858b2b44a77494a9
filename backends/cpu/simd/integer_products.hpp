// SPDX-License-Identifier: Apache-2.0
// Sums of products of integers of eight bits, which are exact.
#pragma once

#include <cstdint>

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Rows of int8 of which neighbours lie side by side, four channels of each: a vector holds a quad of as many rows as
/// it has lanes.
struct QuadRows {
  static constexpr index channels = 4;        ///< of a quad, the first in its lowest byte
  static constexpr index rows_together = 16;  ///< `rows` is a multiple of it

  const std::uint32_t* quads;  ///< [quads_of_row][rows]
  const std::int32_t* sums;    ///< [rows]: of all channels of a row
  index rows, quads_of_row;
};

/// products[r] = row[4 * quads_of_row] times row r, of the first `count`, a multiple of rows_together.
using MultiplyIntegers = void(const std::int8_t* row, const QuadRows& rows, index count, std::int32_t* products);

/// By vpdpbusd where the machine has it, else by its twin.
MultiplyIntegers multiply_integers;
/// By vpdpbusd on 512 bits, which multiplies numbers without sign by numbers with one: the machine must have it.
MultiplyIntegers multiply_integers_by_dots;
MultiplyIntegers multiply_integers_as_dots;

bool machine_has_integer_dots();

}  // namespace attestone::inline backends
