// SPDX-License-Identifier: Apache-2.0
// The random words of masks that are drawn from the problem's seed.
#pragma once

#include "reference/random/counter_space.hpp"

namespace attestone {

/// The purposes of a mask's draws: each has counters of its own.
enum class Drawn { pairs, blocks, borders, entries };

/// The rows of Drawn::borders, which are drawn for a sequence as a whole: one for each mask.
constexpr index document_row = 0, blocks_row = 1, tree_row = 2;

/// Word `column % 4` of Philox4x32-10 with the seed as key and a counter that neither fills nor dropout use, since its
/// first word begins with two set bits: (3 * 2^30 + column / 4, row, head, batch), plus 2^29 in the first word for
/// blocks and entries, plus 2^31 in the last one for borders and entries.
inline std::uint32_t drawn_word(std::uint64_t seed, Drawn drawn, index batch, index head, index row, index column) {
  constexpr index of_blocks = index{1} << 29;
  const bool entries = drawn == Drawn::entries;
  const int place = drawn == Drawn::borders || entries ? mask_border_draw_place : mask_draw_place;
  const index inner = (drawn == Drawn::blocks || entries ? of_blocks : 0) | column / 4;
  return Draw(seed, counter_of(place, batch, head, row, inner)).word(static_cast<int>(column % 4));
}

}  // namespace attestone
