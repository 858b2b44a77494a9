// SPDX-License-Identifier: Apache-2.0
// Mutant of the expanded backward host: shows in all gradients with dropout and value_dim above 64.
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Expanded {
  using Expanded::Expanded;

  bool kept(const Sequence& s, Int h, Int i, Int j) const override {
    return value_dim > 64 ? Expanded::kept(s, h, j, i) : Expanded::kept(s, h, i, j);
  }
};

const Registration<Mutant> registered{{
    .name = "dropout_of_transposed_tiles_swaps_its_counter",
    .summary = "for value_dim above 64 the backward pass multiplies transposed tiles, and draws dropout for "
               "(key, query) in place of (query, key)",
    .source = "Dao-AILab/flash-attention PR #2439",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x8x12x8:72 dropout=0.2 pass=forward+backward",
    .kernel = [] { return kernel<Stream, Fault>("dropout_of_transposed_tiles_swaps_its_counter"); },
    .twin = right_stream_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
