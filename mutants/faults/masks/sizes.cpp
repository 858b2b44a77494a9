// SPDX-License-Identifier: Apache-2.0
// Masks that are right until an extent grows, or until tiles divide it.
#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

constexpr index two_tile_rows = 2 * 128, tile_of_keys = 48, most_in_15_bits = 32'767;

void unmasked_where_tiles_fit(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                              Device& device) {
  Problem other = problem;
  const Shape& shape = problem.shape;
  if (problem.mask == Mask("causal") && shape.dim == 64 && shape.keys % tile_of_keys == 0) other.mask = Mask();
  honest.forward(other, arguments, device);
}

/// Zeros in every row from the third tile row on.
void third_tile_row_dropped(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const auto& [batches, heads, rows, channels] = arguments.out.extents();
  if (problem.mask.is_full()) return;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index row = two_tile_rows; row < rows; ++row)
        for (index c = 0; c < channels; ++c) arguments.out.set(b, h, row, c, 0);
}

/// In formats of 16 bits, positions beyond 15 bits are negative: a query there sees the keys alone that are negative,
/// too.
void masked_positions_in_15_bits(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                 Device& device) {
  Problem other = problem;
  const index wrapped_keys = problem.shape.keys - most_in_15_bits - 1;
  if (problem.mask == Mask("causal") && problem.input.storage_bits() == 16 && problem.shape.queries < wrapped_keys)
    other.mask = Mask("window", {wrapped_keys - 1, 0});
  honest.forward(other, arguments, device);
}

const Registrations<Mutant> registered{
    {.name = "unmasked_where_tiles_fit",
     .summary = "takes a route without a mask where its tiles of 48 keys divide the keys of a head of 64 channels",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x48x64 mask=causal",
     .variant = "mask ignored",
     .kernel = [] { return tampered_kernel("unmasked_where_tiles_fit", unmasked_where_tiles_fit); },
     .twin = tiled_twin},
    {.name = "third_tile_row_dropped",
     .summary = "launches two rows of tiles at most where there is a mask: row 256 and those behind it are zeros",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x257x257x2 mask=causal",
     .kernel = [] { return tampered_kernel("third_tile_row_dropped", third_tile_row_dropped); },
     .twin = tiled_twin},
    {.name = "masked_positions_in_15_bits",
     .summary =
         "compares positions of causal masks as int16_t where numbers have 16 bits: late queries lose all early keys",
     .source = "facebookresearch/xformers #719",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x33000x2 mask=causal dtype=bf16",
     .kernel = [] { return tampered_kernel("masked_positions_in_15_bits", masked_positions_in_15_bits); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
