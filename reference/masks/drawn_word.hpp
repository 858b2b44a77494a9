// SPDX-License-Identifier: Apache-2.0
// The random words of masks that are drawn from the problem's seed.
#pragma once

#include "reference/random.hpp"

namespace attestone {

/// What a drawn mask draws for: every kind has places of its own.
enum class Drawn { pairs, blocks, borders };

/// Word `column % 4` of Philox4x32-10 with the seed as key and a counter that neither fills nor dropout use, since its
/// first word begins with two set bits: (3 * 2^30 + column / 4, row, head, batch), plus 2^29 in the first word for
/// blocks, plus 2^31 in the last one for borders.
inline std::uint32_t drawn_word(std::uint64_t seed, Drawn drawn, index batch, index head, index row, index column) {
  const auto word = [](index number) { return static_cast<std::uint32_t>(number); };
  constexpr std::uint32_t of_masks = 3u << 30;
  const std::uint32_t of_blocks = drawn == Drawn::blocks ? 1u << 29 : 0,
                      of_borders = drawn == Drawn::borders ? 1u << 31 : 0;
  const Draw draw(seed, {of_masks | of_blocks | word(column / 4), word(row), word(head), of_borders | word(batch)});
  return draw.word(static_cast<int>(column % 4));
}

}  // namespace attestone
