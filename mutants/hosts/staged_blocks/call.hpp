// SPDX-License-Identifier: Apache-2.0
// A call as the block program and the producer-consumer host see it.
#pragma once

#include "mutants/hosts/staged_blocks/tensors.hpp"

namespace attestone::inline mutants::staged_blocks {

struct Call : reading::Call {
  Format in;

  explicit Call(const attestone_args& args) : reading::Call(args), in(query.format) {}

  float lse_of(const Sequence& s, Int h, Int i) const { return log_sum_exp.get(s.place, h, s.first_query + i); }
  /// The random word of a pair.
  std::uint32_t word(Int b, Int h, Int i, Int j) const { return reading::philox_word(a.dropout_seed, b, h, i, j); }
};

/// The place of a pair in a tensor that may repeat along axes of extent 1.
inline Int pair_offset(const Tensor& t, const Sequence& s, Int h, Int i, Int j) {
  return t.offset(t.extent[0] == 1 ? 0 : s.number, t.extent[1] == 1 ? 0 : h, t.extent[2] == 1 ? 0 : i,
                  t.extent[3] == 1 ? 0 : j);
}

}  // namespace attestone::inline mutants::staged_blocks
