// SPDX-License-Identifier: Apache-2.0
// Who draws where: places in the counters of Philox, so that no two draws of one seed are the same by chance.
#pragma once

#include "reference/random/random.hpp"

namespace attestone {

/// There are sixteen places. reference/tensor/tensor_name.cpp hands out those of tensors; masks have these two.
constexpr int draw_places = 16;
constexpr int mask_draw_place = 3, mask_border_draw_place = 7;

/// The counter of one element of a place. `inner` is below 2^30, head and batch are below 2^31, as in every problem;
/// rows may also be 2^31 to 2^32 - 1, which no problem has. The place takes the bits that remain: two of the first
/// word, then that above the batch, then that above the head.
///
/// Dropout's counters (batch, head, query, key) are fixed by its rule and lie among those of places 0 and 1, which are
/// as old: whether a pair is dropped, and an element of query or key, may follow from the same word.
inline Draw::Place counter_of(int place, index batch, index head, index row, index inner) {
  const auto word = [](index number) { return static_cast<std::uint32_t>(number); };
  const auto bits = static_cast<std::uint32_t>(place);
  return {(bits & 3) << 30 | word(inner), word(row), (bits >> 3) << 31 | word(head),
          (bits >> 2 & 1) << 31 | word(batch)};
}

}  // namespace attestone
