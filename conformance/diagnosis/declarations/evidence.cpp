// SPDX-License-Identifier: Apache-2.0
// New bounds for a known answer.
#include "conformance/diagnosis/declarations/evidence.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::inline conformance {
namespace {

/// The mean of logarithms of what is finite and not 0.
struct Width {
  double sum = 0;
  index count = 0;

  void add(double bound) {
    if (bound > 0 && std::isfinite(bound)) sum += std::log(bound), ++count;
  }
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

Evidence::Allowed allowed_by(const Comparison& comparison, const Width& width) {
  return {comparison.unbounded == 0 && comparison.could_tell(), width.mean(),
          std::max(comparison.accuracy.r_det, comparison.accuracy.r_prob)};
}

}  // namespace

Evidence::Evidence(const Kernel& kernel, const Problem& problem, bool gradients, std::optional<Inputs> inputs)
    : problem_(problem),
      trial_(kernel, problem_, inputs ? std::move(*inputs) : filled(problem_)),
      gradients_(gradients) {
  trial_.answer();
  if (gradients_) trial_.backward().answer();
}

bool Evidence::conforms(const Numerics& numerics) {
  if (gradients_)
    return compare_gradients(trial_.backward().truth(), gradient_bounds(problem_, trial_.inputs(), numerics),
                             trial_.backward().answer().gradients)
        .conforms();
  const ForwardBound bound(problem_, trial_.inputs(), numerics);
  return attestone::conforms(problem_, trial_.truth(), bound, trial_.answer().outputs);
}

Evidence::Allowed Evidence::allowed(const Numerics& numerics) {
  if (gradients_) return allowed_of_gradients(numerics);
  const ForwardBound bound(problem_, trial_.inputs(), numerics);
  BoundTable bounds(problem_, trial_.truth(), bound);
  Width width;
  for (std::size_t place = 0; place < bounds.places().size(); ++place)
    for (index c = log_sum_exp_channel; c < problem_.shape.value_dim; ++c) width.add(bounds.probabilistic(place, c));
  return allowed_by(compare(trial_.truth(), bounds, trial_.answer().outputs, 0), width);
}

Evidence::Allowed Evidence::allowed_of_gradients(const Numerics& numerics) {
  const GradientTruth& truth = trial_.backward().truth();
  const Gradients& got = trial_.backward().answer().gradients;
  const GradientBounds bounds = gradient_bounds(problem_, trial_.inputs(), numerics);
  Width width;
  for (const ComparedGradient& gradient : compared_gradients(truth, bounds, got)) {
    const Extents& e = gradient.bounds.extents();
    for (index b = 0; b < e[0]; ++b)
      for (index h = 0; h < e[1]; ++h)
        for (index r = 0; r < e[2]; ++r)
          for (index c = 0; c < e[3]; ++c) width.add(gradient.bounds.probabilistic(b, h, r, c));
  }
  return allowed_by(compare_gradients(truth, bounds, got), width);
}

}  // namespace attestone::inline conformance
