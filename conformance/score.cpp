// SPDX-License-Identifier: Apache-2.0
// Showing every mutant to every judge.
#include "conformance/score.hpp"

#include "conformance/judges/baseline.hpp"
#include "conformance/run.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

// What an ordinary test suite runs: one comfortable shape, a multiple of every tile.
constexpr const char* usual_inputs = "shape=1x4x128x128x64 mask=full,causal dtype=f16,bf16";

std::vector<double> values_of(const Tensor& tensor) {
  const ConstView view = tensor.view();
  const auto& extents = view.extents();
  std::vector<double> values;
  for (index b = 0; b < extents[0]; ++b)
    for (index h = 0; h < extents[1]; ++h)
      for (index r = 0; r < extents[2]; ++r)
        for (index c = 0; c < extents[3]; ++c) values.push_back(view.value(b, h, r, c));
  return values;
}

std::vector<double> rounded_truth(const Problem& problem, const Truth& truth) {
  const Shape& s = problem.shape;
  std::vector<double> values;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < s.queries; ++i)
        for (index c = 0; c < s.value_dim; ++c) values.push_back(truth.out(b, h, i, c).rounded);
  return values;
}

/// Whether the judge accepts the kernel on every one of these problems, all with normal inputs.
bool accepts(const Judge& judge, const AnyKernel& kernel, std::vector<Problem> problems) {
  for (Problem& problem : problems) {
    problem.fill = FillChoice{};
    if (!kernel.supports(problem)) continue;
    Trial trial(kernel, problem);
    const Exhibit exhibit{problem, values_of(trial.answer().outputs.out), rounded_truth(problem, trial.truth()),
                          low_precision_baseline(problem, trial.inputs())};
    if (!judge.accepts(exhibit)) return false;
  }
  return true;
}

}  // namespace

std::vector<MutantScore> score_mutants() {
  std::vector<MutantScore> scores;
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    const Property* property = Registry<Property>::find(mutant.property);
    require(property, "every mutant names a property that exists");
    const Problem problem = parse_problem(mutant.problem);
    const AnyKernel kernel = mutant.kernel();
    MutantScore score{
        &mutant, judge_case(kernel, *property, problem), judge_case(mutant.twin(), *property, problem), {}};
    for (const auto& [judge_name, judge] : Registry<Judge>::all())
      score.judges.push_back(
          {&judge, accepts(judge, kernel, parse_problems(usual_inputs)), accepts(judge, kernel, {problem})});
    scores.push_back(std::move(score));
  }
  return scores;
}

}  // namespace attestone
