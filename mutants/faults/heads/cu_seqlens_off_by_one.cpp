// SPDX-License-Identifier: Apache-2.0
// Mutant: a ragged sequence begins one row early.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct CuSeqlensOffByOne : TiledSteps {
  index key_row(index batch, index key) const override { return batch > 0 ? key - 1 : key; }
};

const Registration<Mutant> registered{{
    .name = "cu_seqlens_off_by_one",
    .summary = "begins every sequence but the first one row too early",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x1x2x2x1 layout=ragged",
    .variant = "one row short behind the first sequence",
    .kernel = [] { return tiled_mutant<CuSeqlensOffByOne>("cu_seqlens_off_by_one"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
