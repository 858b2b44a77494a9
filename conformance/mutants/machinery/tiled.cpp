// SPDX-License-Identifier: Apache-2.0
// The tiled kernel: for each row, tiles of keys.
#include "conformance/mutants/machinery/tiled.hpp"

#include "conformance/mutants/machinery/fused.hpp"
#include "conformance/mutants/machinery/tiled_row.hpp"

namespace attestone {
namespace {

class Tiled {
 public:
  Tiled(std::string name, std::shared_ptr<const TiledSteps> steps, std::shared_ptr<const FusedSteps> backward_steps)
      : name_(std::move(name)), steps_(std::move(steps)), backward_steps_(std::move(backward_steps)) {}

  std::string name() const { return name_; }
  Support supports(const Problem& problem) const { return tiled_limits(problem); }
  Numerics numerics(const Problem& problem) const { return tiled_numerics(problem); }
  index workspace_bytes(const Problem& problem) const { return TiledScratch::bytes(problem.shape); }
  void run(const Problem&, Arguments&) const;
  index backward_workspace_bytes(const Problem& problem) const { return fused_backward_bytes(problem); }
  void run_backward(const Problem& problem, BackwardArguments& arguments) const {
    fused_backward(problem, arguments, *backward_steps_);
  }

 private:
  std::string name_;
  std::shared_ptr<const TiledSteps> steps_;
  std::shared_ptr<const FusedSteps> backward_steps_;
};

void Tiled::run(const Problem& problem, Arguments& arguments) const {
  const Shape& shape = problem.shape;
  TiledScratch scratch(arguments.workspace, shape);
  for (index batch = 0; batch < shape.batch; ++batch) {
    const Sequence sequence = problem.sequence(batch);
    const TileMask mask = steps_->mask(problem.mask, sequence);
    for (index head = 0; head < shape.heads; ++head)
      for (index query = 0; query < arguments.out.rows(batch); ++query) {
        TiledRow row{problem, arguments, *steps_, batch, head, query, sequence, mask, scratch};
        const index keys = query < sequence.queries ? steps_->keys_read(sequence.keys) : 0;
        row.attend({0, keys - 1});
        if (arguments.sink) row.take_in_sink(steps_->sinks((keys + TiledSteps::tile - 1) / TiledSteps::tile));
        row.store();
      }
  }
}

}  // namespace

AnyKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps> steps,
                       std::shared_ptr<const FusedSteps> backward_steps) {
  return AnyKernel(Tiled(std::move(name), std::move(steps), std::move(backward_steps)));
}

AnyKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps> steps) {
  return tiled_kernel(std::move(name), std::move(steps), std::make_shared<const FusedSteps>());
}

AnyKernel fused_kernel(std::string name, std::shared_ptr<const FusedSteps> steps) {
  return tiled_kernel(std::move(name), std::make_shared<const TiledSteps>(), std::move(steps));
}

AnyKernel tiled_twin() { return tiled_mutant<TiledSteps>("tiled"); }

}  // namespace attestone
