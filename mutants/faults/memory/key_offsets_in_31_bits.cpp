// SPDX-License-Identifier: Apache-2.0
// Mutant: offsets into K are kept in an int.
#include "mutants/hosts/narrow_offsets.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const Tensor key = read_by_narrow_offsets(arguments.key);
  Arguments misread = arguments;
  misread.key = key.view();
  honest.forward(problem, misread, device);
}

const Registration<Mutant> registered{{
    .name = "key_offsets_in_31_bits",
    .summary = "keeps the offset of an element of K in 31 bits, which a cache of many sequences leaves",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 layout=bhsd+key/sparse",
    .kernel = [] { return tampered_kernel("key_offsets_in_31_bits", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
