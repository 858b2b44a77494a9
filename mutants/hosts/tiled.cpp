// SPDX-License-Identifier: Apache-2.0
// The tiled kernel: for each row, tiles of keys.
#include "mutants/hosts/tiled.hpp"

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled_row.hpp"

namespace attestone::inline mutants {
namespace {

class Tiled final : public Kernel {
 public:
  Tiled(std::string name, std::shared_ptr<const TiledSteps> steps, std::shared_ptr<const FusedSteps> backward_steps)
      : name_(std::move(name)), steps_(std::move(steps)), backward_steps_(std::move(backward_steps)) {}

  std::string name() const override { return name_; }
  Support supports(const Problem& problem) const override { return tiled_limits(problem); }
  Numerics numerics(const Problem& problem) const override { return tiled_numerics(problem); }
  index forward_bytes(const Problem& problem) const override { return TiledScratch::bytes(problem.shape); }
  void forward(const Problem&, const Arguments&, Device&) const override;
  bool computes_max_logits() const override { return true; }
  bool computes_gradients() const override { return true; }
  index backward_bytes(const Problem& problem) const override { return fused_backward_bytes(problem); }
  void backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const override {
    fused_backward(problem, arguments, device, *backward_steps_);
  }

 private:
  std::string name_;
  std::shared_ptr<const TiledSteps> steps_;
  std::shared_ptr<const FusedSteps> backward_steps_;
};

void Tiled::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const Shape& shape = problem.shape;
  TiledScratch scratch(device, shape);
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

SharedKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps> steps,
                          std::shared_ptr<const FusedSteps> backward_steps) {
  return std::make_shared<Tiled>(std::move(name), std::move(steps), std::move(backward_steps));
}

SharedKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps> steps) {
  return tiled_kernel(std::move(name), std::move(steps), std::make_shared<const FusedSteps>());
}

SharedKernel fused_kernel(std::string name, std::shared_ptr<const FusedSteps> steps) {
  return tiled_kernel(std::move(name), std::make_shared<const TiledSteps>(), std::move(steps));
}

SharedKernel tiled_twin() { return tiled_mutant<TiledSteps>("tiled"); }

}  // namespace attestone::inline mutants
