// SPDX-License-Identifier: Apache-2.0
// Outputs that are a little too long when they are stored, or cut instead of rounded.
#include "mutants/hosts/stored.hpp"

#include <cstring>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// Decides by the bits of the row's query, hashed by multiplication with a prime near 2^64 / golden ratio.
bool is_struck(const StoredElement& element) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
  constexpr int kept_bits = 10;
  std::uint64_t hash = 0;
  for (index c = 0; c < element.problem.shape.dim; ++c) {
    const double q = element.inputs.query.value(element.at[0], element.at[1], element.at[2], c);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &q, sizeof bits);
    hash = (hash ^ bits) * factor;
    hash ^= hash >> 32;
  }
  return hash >> (64 - kept_bits) == 0;
}

double stored(const StoredElement& element) {
  return element.tensor == TensorName::out && is_struck(element) ? 0.9 * element.value : element.value;
}

const Registrations<Mutant> registered{
    {.name = "one_row_in_a_thousand",
     .summary = "O of one row in 1024, which its query decides about, is a tenth too short",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2560x1x4x24x4",
     .kernel = [] { return storing_kernel("one_row_in_a_thousand", stored); },
     .twin = tiled_twin},
    {.name = "out_a_little_long",
     .summary = "O is multiplied by 1.001 before it is stored: a fifth of what a rounding to bf16 may do",
     .property = "gain",
     .reason = "wrong-gain",
     .problem = "shape=1280x2x4x24x8 dtype=bf16",
     .kernel = [] { return a_thousandth_long("out_a_little_long", TensorName::out); },
     .twin = tiled_twin},
    {.name = "out_of_a_block_a_little_long",
     .summary = "O of queries 64 to 127 is multiplied by 1.001 before it is stored",
     .property = "gain",
     .reason = "wrong-gain",
     .problem = "shape=32x4x128x24x8 dtype=bf16",
     .kernel =
         [] {
           return a_thousandth_long("out_of_a_block_a_little_long", TensorName::out,
                                    [](const Extents& at) { return at[2] / 64 == 1; });
         },
     .twin = tiled_twin},
    {.name = "out_of_one_head_a_little_long",
     .summary = "O of head 1 is multiplied by 1.001 before it is stored",
     .property = "gain",
     .reason = "wrong-gain",
     .problem = "shape=1280x2x4x24x8 dtype=bf16",
     .kernel =
         [] {
           return a_thousandth_long("out_of_one_head_a_little_long", TensorName::out,
                                    [](const Extents& at) { return at[1] == 1; });
         },
     .twin = tiled_twin},
    {.name = "stores_truncated",
     .summary = "O and the gradients are cut to their format instead of rounded, and nothing of it is declared",
     .property = "gain",
     .reason = "wrong-gain",
     .problem = "shape=1280x2x4x24x8 dtype=bf16",
     .kernel =
         [] {
           return storing_kernel("stores_truncated", [](const StoredElement& element) {
             return element.problem.output.round(element.value, Rounding::toward_zero);
           });
         },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
