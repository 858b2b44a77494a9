// SPDX-License-Identifier: Apache-2.0
// Instructions of tensor cores that a device is asked for, and what their tiles look like in memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// D = A B + C. Codes lie row by row: A [rows, depth], B [columns, depth], C and D [rows, columns].
struct Instruction {
  std::string_view name;      ///< PTX ISA 9.0, sections 9.7.14 (mma) and 9.7.15 (wgmma)
  std::string_view operands;  ///< the format of A and B
  int rows, columns, depth;
  int operand_bytes;      ///< of a code of A or B
  int accumulator_bytes;  ///< of a code of C or D: f32, or f16
};

/// Those of Hopper (sm_90a).
const std::vector<Instruction>& instructions();

/// The tiles of one instruction, one after the other.
struct Tiles {
  std::vector<std::uint8_t> a, b, c;
};

/// D of each tile, as the device has it. Throws std::runtime_error where there is no device that can.
std::vector<std::uint8_t> multiplied(const Instruction&, const Tiles&, int tiles);
