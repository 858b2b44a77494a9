// SPDX-License-Identifier: Apache-2.0
// A ragged batch is a loop over its sequences.
#include <algorithm>
#include <fmt/format.h>

#include "conformance/conventions/by_convention.hpp"
#include "conformance/properties/property.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (problem.lengths.empty() && problem.query_lengths.empty()) return "no sequence is shorter than the shape";
  return problem.dropout > 0 ? "dropout draws by the place in the batch" : "";
}

/// A batch of one, without padding.
Problem alone(const Problem& problem, index batch) {
  Problem sequence = problem;
  sequence.shape.batch = 1;
  sequence.shape.queries = problem.sequence(batch).queries;
  sequence.shape.keys = problem.sequence(batch).keys;
  sequence.lengths.clear(), sequence.query_lengths.clear();
  sequence.pack();
  sequence.drop_gradients();
  return sequence;
}

/// Some masks are drawn by the place in the batch, or by the extents of the shape.
bool same_mask(const VisiblePairs& all, index batch, const VisiblePairs& sequence, const Shape& shape) {
  for (index h = 0; h < shape.heads; ++h)
    for (index i = 0; i < shape.queries; ++i)
      for (index j = 0; j < shape.keys; ++j)
        if (all({batch, h, i, j}) != sequence({0, h, i, j})) return false;
  return true;
}

/// The part of `from` that belongs to the sequence; a tensor with one batch belongs to all.
void take(const ConstView& from, index batch, const View& to) {
  const index b = from.extents()[0] == 1 ? 0 : batch;
  for_each_element(to, [&](index, index h, index r, index c) { to.set_code(0, h, r, c, from.code(b, h, r, c)); });
}

Inputs taken(const Problem& sequence, const Inputs& all, index batch) {
  Inputs inputs(sequence);
  take(all.query.view(), batch, inputs.query.view());
  take(all.key.view(), batch, inputs.key.view());
  take(all.value.view(), batch, inputs.value.view());
  if (inputs.bias) take(all.bias->view(), batch, inputs.bias->view());
  if (inputs.sink) take(all.sink->view(), batch, inputs.sink->view());
  return inputs;
}

Comparison compared_alone(const Kernel& kernel, const Problem& sequence, const Inputs& inputs) {
  const Conventions conventions = kernel.conventions();
  const Truth truth = by_convention(certify_forward(sequence, inputs), conventions, sequence, inputs);
  const Numerics numerics = kernel.numerics(sequence);
  const ForwardBound bound(sequence, inputs, numerics);
  BoundTable bounds(sequence, truth, bound);
  return compare(truth, bounds, Trial(kernel, sequence).run(inputs).outputs, numerics.tile_queries, nullptr,
                 conventions.log_sum_exp_unit());
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const VisiblePairs visible(problem);
  const Comparison plain = trial.compare_with_truth(trial.answer().outputs);
  std::string refused = "no sequence has the same mask alone";
  bool passed = false;
  for (index b = 0; b < problem.shape.batch; ++b) {
    const Problem sequence = alone(problem, b);
    if (!same_mask(visible, b, VisiblePairs(sequence), sequence.shape)) continue;
    if (const Support support = trial.kernel().supports(sequence); !support) {
      refused = support.why;
      continue;
    }
    const Comparison changed = compared_alone(trial.kernel(), sequence, taken(sequence, trial.inputs(), b));
    const Verdict verdict = metamorphic(plain, changed, "sequence-alone", fmt::format("sequence {} alone", b));
    if (verdict.outcome != Outcome::passed) return verdict;
    passed = true;
  }
  return passed ? Verdict::passed() : Verdict::skipped(refused);
}

const Registration<Property> registered{{
    .name = "sequence_alone",
    .claim = "each sequence of a ragged or padded batch answers alone what it answers in the batch",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
