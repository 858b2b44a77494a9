// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows from the second call of a kernel on, with the same extents and other lengths.
#include <array>
#include <memory>

#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  struct Plan {
    std::array<Int, 4> extents{};
    std::vector<Work> work;
  };
  explicit Fault(std::shared_ptr<Plan> before) : before_(std::move(before)) {}

  std::vector<Work> plan(const RowCall& call) const override {
    const std::array<Int, 4> extents{call.a.batch, call.a.kv_heads, call.a.queries, call.a.keys};
    if (extents != before_->extents) *before_ = {extents, schedule(call)};
    return before_->work;
  }

 private:
  std::shared_ptr<Plan> before_;
};

const Registration<Mutant> registered{{
    .name = "plan_reused_for_other_lengths",
    .summary = "the schedule of a call is kept for the next one with the same extents, whatever its lengths",
    .source = "NVIDIA/TensorRT-LLM PR #12161",
    .property = "batch_order_irrelevant",
    .reason = "batch-order",
    .problem = "shape=2x1x2x140x8 lengths=140+70",
    .kernel = [] { return row_kernel<Fault>("plan_reused_for_other_lengths", std::make_shared<Fault::Plan>()); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
