// SPDX-License-Identifier: Apache-2.0
// Codes of any width in memory: one behind the other, the first at the lowest bit of the first byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "reference/shape.hpp"

namespace attestone {

/// Code `place` of the codes of `bits` bits, 1 to 64, that begin at `memory`. E2M1 has its first code in the low half
/// of a byte (safetensors F4, PTX e2m1x2); four codes of 6 bits share three bytes.
inline std::uint64_t read_code(const std::byte* memory, index place, int bits) {
  std::uint64_t code = 0;
  if (bits % 8 == 0) {
    // Counts that the compiler knows: a load instead of a call.
    if (bits == 16) return std::memcpy(&code, memory + place * 2, 2), code;
    if (bits == 32) return std::memcpy(&code, memory + place * 4, 4), code;
    const int bytes = bits / 8;
    std::memcpy(&code, memory + place * bytes, static_cast<std::size_t>(bytes));
    return code;
  }
  for (int bit = 0; bit < bits; ++bit) {
    const index at = place * bits + bit;
    code |= (std::to_integer<std::uint64_t>(memory[at / 8]) >> (at % 8) & 1) << bit;
  }
  return code;
}

/// Writes one code and leaves the bits of its neighbours.
inline void write_code(std::byte* memory, index place, int bits, std::uint64_t code) {
  if (bits % 8 == 0) {
    const int bytes = bits / 8;
    if (bits == 16)
      std::memcpy(memory + place * 2, &code, 2);
    else if (bits == 32)
      std::memcpy(memory + place * 4, &code, 4);
    else
      std::memcpy(memory + place * bytes, &code, static_cast<std::size_t>(bytes));
    return;
  }
  for (int bit = 0; bit < bits; ++bit) {
    const index at = place * bits + bit;
    const auto mask = std::byte{1} << (at % 8);
    memory[at / 8] = (code >> bit & 1) ? memory[at / 8] | mask : memory[at / 8] & ~mask;
  }
}

}  // namespace attestone
