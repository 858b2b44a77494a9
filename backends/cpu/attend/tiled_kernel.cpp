// SPDX-License-Identifier: Apache-2.0
// Names and refusals of kernels in tiles; the backward pass of those that merge.
#include "backends/cpu/attend/tiled_kernel.hpp"

#include "backends/cpu/attend/backward_passes.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/sink_gradient.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"
#include "backends/cpu/parts/workers.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {

std::string TiledKernel::name() const { return kernel_text(*Registry<KernelEntry>::find(entry_), settings_); }

Support TiledKernel::supports(const Problem& problem) const { return common_limits(problem); }

bool TiledKernel::wants_mask_bytes(const Problem& problem) const { return VisibleTiles::need_bytes(problem); }

index MergingKernel::workers(const Problem& problem) const {
  const Shape& shape = problem.shape;
  return useful_workers(setting("workers"), states(problem), shape, shape.dim + shape.value_dim);
}

index MergingKernel::backward_bytes(const Problem& problem) const {
  const KeyPass pass(problem, backward_blocks(), DQuery::in_order, setting("workers"));
  return std::max(pass.bytes(), sink_gradient_bytes(problem));
}

void MergingKernel::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  KeyPass(problem, backward_blocks(), DQuery::in_order, setting("workers")).run(arguments, device);
  store_sink_gradient(problem, arguments, device);
}

}  // namespace attestone::inline backends
