// SPDX-License-Identifier: Apache-2.0
// Mutant: the heads of a cache that is not full are sought where those of a full one lie.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const ConstView& key = arguments.key;
  const Strides packed = packed_strides(key.extents());
  const bool rows_are_packed = key.strides()[2] == packed[2] && key.strides()[3] == packed[3];
  Arguments flattened = arguments;
  if (key.row_map().dense() && rows_are_packed && key.strides()[1] > packed[1]) {
    Strides strides = key.strides();
    strides[1] = packed[1];
    flattened.key = {key.data(), key.dtype(), key.extents(), strides};
  }
  honest.forward(problem, flattened, device);
}

const Registration<Mutant> registered{{
    .name = "cache_slice_taken_for_whole",
    .summary = "takes a head of K for as long as its rows, where rows that nobody asks for lie behind them",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x2x1 spare_rows=1",
    .kernel = [] { return tampered_kernel("cache_slice_taken_for_whole", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
