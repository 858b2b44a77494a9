// SPDX-License-Identifier: Apache-2.0
// Kernels that follow a GPU's arithmetic row by row: what they take, and their outer loops.
#pragma once

#include <type_traits>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// Which sequences a kernel takes.
enum class Sequences {
  full,
  of_any_length,  ///< behind which may be padding
};

/// f16 or bf16 throughout, full masks or causal ones of as many queries as keys; no bias, sink, softcap or dropout; a
/// scale above 0; dims up to 128; value_dim like dim.
Support taken_row_by_row(const Problem&, Sequences = Sequences::full);

/// The forward pass of a problem that is taken so. `head` has
///
///     take(arguments, batch, head)      reads its operands
///     attend(query, keys)               to the first so many keys; returns log_sum_exp, if there is one
///     out()                             O of that query
template <class Head>
void attend_row_by_row(Head& head, const Problem& problem, const Arguments& arguments, Device& device) {
  const Shape& shape = problem.shape;
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index h = 0; h < shape.heads; ++h) {
      const Sequence own = problem.sequence(batch);
      head.take(arguments, batch, h);
      for (index i = 0; i < stored_rows(problem, batch).queries; ++i) {
        const index keys = i >= own.queries ? 0 : problem.mask.is_full() ? own.keys : i + 1;
        if constexpr (std::is_void_v<decltype(head.attend(i, keys))>) {
          head.attend(i, keys);
        } else {
          const float log_sum_exp = head.attend(i, keys);
          if (arguments.log_sum_exp.exists()) arguments.log_sum_exp.set(batch, h, i, 0, double{log_sum_exp});
        }
        store_float_rows(arguments.out, batch, h, {i, i}, {head.out(), shape.dim}, 1);
        device.compute({.multiply_adds = 2 * keys * shape.dim, .exponentials = keys});
      }
    }
}

}  // namespace attestone::inline backends
