// SPDX-License-Identifier: Apache-2.0
// The split kernel as the catalogue sees it: settings, limits, declared arithmetic, memory.
#include "backends/cpu/split/split.hpp"

#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/split/split_call.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const std::vector<std::string> forms{"rescaled_sums", "sigmoid", "late_correction", "shared_maximum"};

const Registration<KernelEntry> registered{{
    .name = "split",
    .summary = "parts of the keys side by side, then merged, in any of four ways; exact, for few queries",
    .settings = {{"splits", "4", integers_from(1), "parts of the keys; those behind the last key are empty"},
                 {"merge", "rescaled_sums", one_of(forms), "how parts become one (docs/tolerance.md, \"Merges\")"},
                 {"block_q", "32", integers_from(1), "queries that one worker keeps"},
                 {"block_kv", "128", integers_from(1), "keys per step of the softmax"},
                 {"workers", "16", integers_from(1), "threads at the most, each with scratch memory of its own"}},
    .examples = {"splits=7:block_kv=16:workers=3", "splits=3:merge=sigmoid",
                 "splits=3:merge=sigmoid:block_q=5:block_kv=7", "merge=late_correction",
                 "splits=5:merge=late_correction:block_kv=4", "merge=shared_maximum", "splits=2:merge=shared_maximum"},
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<Split>(settings); },
}};

MergeForm form_of(const std::string& name) {
  if (name == "sigmoid") return MergeForm::sigmoid;
  if (name == "late_correction") return MergeForm::late_correction;
  return name == "shared_maximum" ? MergeForm::shared_maximum : MergeForm::rescaled_sums;
}

}  // namespace

Split::Split(const Settings& settings)
    : MergingKernel("split", settings), form_(form_of(settings.text("merge"))), splits_(settings.integer("splits")) {}

Numerics Split::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  numerics.tile_queries = setting("block_q");
  numerics.weight.tile_keys = setting("block_kv");
  numerics.invariant = of_steps(problem);  // parts are shares of all keys of the sequence, hidden or not
  numerics.merge.form = form_;
  numerics.merge.parts = splits_;
  numerics.merge.exp_error = exp2_relative_error;
  if (!numerics.merge.divides_parts()) return numerics;
  // Between parts log_sum_exp is a double; only the factors of out are rounded to float.
  numerics.merge.log_error = numerics.merge.log_sum_exp_roundoff = 2 * dtype("f64").unit_roundoff();
  return numerics;
}

AttendExtents Split::extents(const Problem& problem) const {
  return {problem, setting("block_q"), setting("block_kv")};
}

index Split::states(const Problem& problem) const {
  const Shape& shape = problem.shape;
  return shape.batch * shape.heads * tiles_of(shape.queries, extents(problem).queries) * splits_;
}

index Split::forward_bytes(const Problem& problem) const {
  const AttendExtents e = extents(problem);
  return workers(problem) * AttendScratch::bytes(e) + states(problem) * AttendState::bytes(e.queries, e.value_dim);
}

void Split::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  SplitCall(problem, arguments, extents(problem), splits_, form_, device).run(workers(problem));
}

AttendBlocks Split::backward_blocks() const { return {setting("block_q"), setting("block_kv"), setting("block_kv")}; }

}  // namespace attestone::inline backends
