// SPDX-License-Identifier: Apache-2.0
// The gradient of a shared head is a sum.
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/metamorphic/gradient_relation.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  return problem.shape.heads == problem.shape.kv_heads ? "every query head has its own kv head"
                                                       : without_numbers(problem);
}

Problem ungrouped(const Problem& problem) {
  Problem other = problem;
  other.shape.kv_heads = other.shape.heads;
  other.pack();
  return other;
}

/// Every query head gets a copy of the kv head that it reads.
Inputs with_copies(const Problem& problem, const Problem& other, const Inputs& shared) {
  Inputs inputs(other);
  const auto own = [&](const Extents& at) { return Extents{at[0], problem.shape.kv_head(at[1]), at[2], at[3]}; };
  copy_elements(shared.query.view(), inputs.query.view());
  copy_elements(shared.key.view(), inputs.key.view(), own);
  copy_elements(shared.value.view(), inputs.value.view(), own);
  copy_elements(shared.dout->view(), inputs.dout->view());
  if (shared.bias) inputs.bias.emplace(*shared.bias);
  if (shared.sink) inputs.sink.emplace(*shared.sink);
  return inputs;
}

/// The first element at which the copies do not add up to the truth; empty if there is none.
std::string first_difference(const Shape& s, const char* name, const CertifiedTensor& truth, const ConstView& copies,
                             const ElementBounds& bounds) {
  const auto& [batches, kv_heads, rows, channels] = truth.extents();
  const index group = s.heads / s.kv_heads;
  for (index b = 0; b < batches && copies.exists(); ++b)
    for (index h = 0; h < kv_heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) {
          SumOfGradients difference;
          const Certified& right = truth.at(b, h, r, c);
          difference.add(-right.value, right.bound);
          for (index copy = h * group; copy < (h + 1) * group; ++copy)
            difference.add(copies.value(b, copy, r, c), bounds.deterministic(b, copy, r, c));
          if (right.non_finite == NonFinite::wrong && std::isfinite(right.value) && difference.is_not_zero())
            return fmt::format("{}[b{}, h{}, k{}, c{}] adds up to {:.9g} over the copies, not to {:.9g}", name, b, h, r,
                               c, difference.got + right.value, right.value);
        }
  return {};
}

Verdict check(Trial& trial) {
  const Problem other = ungrouped(trial.problem());
  if (const Support support = trial.kernel().supports(other); !support) return Verdict::skipped(support.why);
  // Packed, a ragged batch has rows without keys that it had not.
  if (trial.problem().layout == "ragged")
    if (std::string why = without_sums(trial); !why.empty()) return Verdict::skipped(why);
  const Inputs inputs = with_copies(trial.problem(), other, trial.inputs());
  Trial changed(trial.kernel(), other);
  const Gradients got = changed.backward().run(inputs, changed.run(inputs).outputs).gradients;
  const GradientBounds bounds = [&] {
    const Stopwatch watch(trial.times.truth);
    return gradient_bounds(other, inputs, changed.numerics());
  }();
  const GradientTruth& truth = trial.backward().truth();
  const Shape& s = trial.problem().shape;
  std::string difference = first_difference(s, "dkey", truth.key, got.key.view(), bounds.key);
  if (difference.empty()) difference = first_difference(s, "dvalue", truth.value, got.value.view(), bounds.value);
  if (difference.empty()) return Verdict::passed();
  if (!trial.backward().compare_with_truth(trial.backward().answer().gradients).conforms())
    return Verdict::inconclusive("wrong-anyway", "the unchanged call is wrong already");
  return Verdict::failed("gradient-sum", difference);
}

const Registration<Property> registered{{
    .name = "gradient_grouping",
    .claim =
        "with a copy of its kv head for every query head, the gradients of the copies add up to that of the shared one",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
