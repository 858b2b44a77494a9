// SPDX-License-Identifier: Apache-2.0
// Channels behind the last whole vector, or behind those of another tensor.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/diagnosis/kinds/other_inputs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Channels behind the boundary that hold zeros pass.
/// With so many channels that some lie before the boundary and some behind it.
Problem with_channels_behind(Problem problem, const Condition* dim) {
  if (!dim || dim->form != Condition::Form::no_multiple || problem.shape.dim > dim->number) return problem;
  const bool same = problem.shape.dim == problem.shape.value_dim;
  problem.shape.dim = dim->number + dim->number / 2;
  if (same) problem.shape.value_dim = problem.shape.dim;
  return problem;
}

Alternatives predictions(const FailureFacts& evidence) {
  const Condition *dim = evidence.on("dim"), *value_dim = evidence.on("value_dim");
  const Problem problem = with_channels_behind(with_seed(evidence.base, 311), dim);
  const Prediction as_it_is{fresh_inputs(problem, 0), Of::fails}, again{fresh_inputs(problem, 1), Of::fails};
  Alternatives all;
  const auto add = [&](index from, bool of_keys) {
    if (from == 0) return;  // nothing is right of what holds nothing
    const FurtherCall cleared{problem, channels_cleared(problem, from, of_keys)};
    if (cleared.inputs) all.push_back({{cleared, Of::passes}, as_it_is, again});
  };
  const bool more = value_dim && (value_dim->form == Condition::Form::more_than_other ||
                                  value_dim->form == Condition::Form::unlike_other);
  if (more && problem.shape.value_dim > problem.shape.dim) add(problem.shape.dim, false);
  if (dim && dim->form == Condition::Form::no_multiple) add(problem.shape.dim / dim->number * dim->number, true);
  if (dim && dim->form == Condition::Form::above) add(dim->number, true);
  if (value_dim && value_dim->form == Condition::Form::no_multiple)
    add(problem.shape.value_dim / value_dim->number * value_dim->number, false);
  return all;
}

const Registration<KindOfFault> registered{{
    .name = "padding_of_channels",
    .says = "channels behind a boundary are lost, overwritten or taken twice: right as soon as they hold zeros",
    .look_at = "loops over channels, which end at dim in one tensor and at value_dim in another, or at whole vectors",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
