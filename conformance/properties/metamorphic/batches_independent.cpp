// SPDX-License-Identifier: Apache-2.0
// Sequences and heads do not touch each other.
#include <fmt/format.h>
#include <limits>

#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// A part of the inputs that other outputs must not depend on: one sequence, or one kv head with its query heads.
struct Part {
  index batch;
  index kv_head;  // or all of them
  static constexpr index all = -1;
};

std::vector<Part> parts(const Problem& problem, const Inputs& inputs) {
  std::vector<Part> parts;
  const Shape& shape = problem.shape;
  const bool shared_kv_heads = inputs.key.view().strides()[1] == 0 || inputs.value.view().strides()[1] == 0;
  if (shape.batch > 1) parts.push_back({0, Part::all}), parts.push_back({shape.batch - 1, Part::all});
  if (shape.kv_heads > 1 && !shared_kv_heads) parts.push_back({0, 0}), parts.push_back({0, shape.kv_heads - 1});
  return parts;
}

std::string inapplicable(const Problem& problem) {
  return problem.shape.batch == 1 && problem.shape.kv_heads == 1 ? "one sequence with one kv head" : "";
}

/// Every row of the part becomes NaN; `group` heads of the tensor belong to one kv head.
void poison(const View& tensor, const Part& part, index group) {
  const index heads = tensor.extents()[1], rows = tensor.rows(part.batch), channels = tensor.extents()[3];
  for (index h = 0; h < heads; ++h) {
    if (part.kv_head != Part::all && h / group != part.kv_head) continue;
    for (index r = 0; r < rows; ++r)
      for (index c = 0; c < channels; ++c) tensor.set(part.batch, h, r, c, std::numeric_limits<double>::quiet_NaN());
  }
}

Verdict check(Trial& trial) {
  const Shape& shape = trial.problem().shape;
  bool conclusive = false;
  for (const Part& part : parts(trial.problem(), trial.inputs())) {
    Inputs inputs = trial.inputs();
    poison(inputs.query.view(), part, shape.heads / shape.kv_heads);
    poison(inputs.key.view(), part, 1);
    poison(inputs.value.view(), part, 1);
    const auto unconcerned = [&](index b, index h, index) {
      return b != part.batch || (part.kv_head != Part::all && shape.kv_head(h) != part.kv_head);
    };
    const std::string where = part.kv_head == Part::all ? "" : fmt::format(", kv head {}", part.kv_head);
    const Verdict verdict = metamorphic(trial.compare_with_truth(trial.answer().outputs, unconcerned),
                                        trial.compare_with_truth(trial.run(inputs).outputs, inputs, unconcerned),
                                        "batch-leak", fmt::format("with NaN in batch {}{}", part.batch, where));
    conclusive = conclusive || verdict.outcome == Outcome::passed;
    if (verdict.outcome == Outcome::failed) return verdict;
  }
  return conclusive ? Verdict::passed() : Verdict::inconclusive("wrong-anyway", "the unchanged call is wrong already");
}

const Registration<Property> registered{{
    .name = "batches_independent",
    .claim = "the answer of one sequence and head does not depend on what any other sequence or kv head holds",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
