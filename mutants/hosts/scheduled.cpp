// SPDX-License-Identifier: Apache-2.0
// Flash by the tile that was chosen.
#include "mutants/hosts/scheduled.hpp"

#include <fmt/format.h>

#include "backends/catalogue.hpp"

namespace attestone::inline mutants {
namespace {

SharedKernel with_tile(index keys) { return make_kernel(fmt::format("flash:block_kv={0}:block_kv_dkv={0}", keys)); }

index usual(const Problem&) { return usual_tile; }

}  // namespace

SharedKernel declaring(const SharedKernel& kernel, Invariance invariance) {
  const auto numerics = [kernel, invariance](const Problem& problem) {
    Numerics declared = kernel->numerics(problem);
    declared.invariant = invariance;
    return declared;
  };
  return changed(kernel, {.numerics = numerics});
}

SharedKernel tile_chooser(std::string name, TileOf forward, TileOf backward) {
  // Made once: a mutant may be called from several threads.
  const SharedKernel large = with_tile(usual_tile), small = with_tile(small_tile);
  const auto chosen = [large, small](TileOf tile, const Problem& problem) -> const Kernel& {
    return tile(problem) == usual_tile ? *large : *small;
  };
  return changed(large, {.name = std::move(name),
                         .numerics = [=](const Problem& p) { return chosen(forward, p).numerics(p); },
                         .forward = [=](const Kernel&, const Problem& p, const Arguments& arguments,
                                        Device& device) { chosen(forward, p).forward(p, arguments, device); },
                         .backward = [=](const Kernel&, const Problem& p, const BackwardArguments& arguments,
                                         Device& device) { chosen(backward, p).backward(p, arguments, device); }});
}

SharedKernel tile_chooser_twin() { return tile_chooser("tile_chooser", usual, usual); }

}  // namespace attestone::inline mutants
