// SPDX-License-Identifier: Apache-2.0
// Showing every mutant to every judge.
#include "conformance/score.hpp"

#include <algorithm>
#include <map>

#include "conformance/judges/baseline.hpp"
#include "conformance/run.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

// What an ordinary test suite runs: one comfortable shape, a multiple of every tile.
constexpr const char* usual_inputs = "shape=1x4x128x128x64 mask=full,causal dtype=f16,bf16";

std::vector<double> rounded_truth(const Problem& problem, const Truth& truth) {
  const Shape& s = problem.shape;
  std::vector<double> values;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < s.queries; ++i)
        for (index c = 0; c < s.value_dim; ++c) values.push_back(truth.out(b, h, i, c).rounded);
  return values;
}

/// What does not depend on the kernel: worked out once for every problem with normal inputs.
class Cases {
 public:
  struct Case {
    Problem problem;
    Inputs inputs;
    std::vector<double> golden, baseline;
  };

  const Case& of(Problem problem) {
    problem.fill = FillChoice{};
    const std::string text = problem.text();
    if (const auto known = cases_.find(text); known != cases_.end()) return known->second;
    Inputs inputs = filled(problem);
    std::vector<double> golden = rounded_truth(problem, certify_forward(problem, inputs));
    std::vector<double> baseline = low_precision_baseline(problem, inputs);
    return cases_.try_emplace(text, Case{problem, std::move(inputs), std::move(golden), std::move(baseline)})
        .first->second;
  }

 private:
  std::map<std::string, Case> cases_;
};

/// O as the kernel leaves it; of a kernel that crashed, NaN everywhere.
std::vector<double> shown(const AnyKernel& kernel, const Cases::Case& known) {
  Trial trial(kernel, known.problem);
  try {
    return packed_values(trial.run(known.inputs).outputs.out.view());
  } catch (const KernelCrash&) {
    return packed_values(poisoned_outputs(known.problem, Poison::nan).out.view());
  }
}

/// The exhibits of one kernel on those of the problems that it supports.
std::vector<Exhibit> exhibits(const AnyKernel& kernel, const std::vector<Problem>& problems, Cases& cases) {
  std::vector<Exhibit> all;
  for (const Problem& problem : problems) {
    if (!kernel.supports(problem)) continue;
    const Cases::Case& known = cases.of(problem);
    all.push_back({known.problem, shown(kernel, known), known.golden, known.baseline});
  }
  return all;
}

bool accepts_all(const Judge& judge, const std::vector<Exhibit>& exhibits) {
  return std::ranges::all_of(exhibits, judge.accepts);
}

}  // namespace

std::vector<MutantScore> score_mutants() {
  std::vector<MutantScore> scores;
  Cases cases;
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    const Property* property = Registry<Property>::find(mutant.property);
    require(property, "every mutant names a property that exists");
    const Problem problem = parse_problem(mutant.problem);
    const AnyKernel kernel = mutant.kernel();
    MutantScore score{
        &mutant, judge_case(kernel, *property, problem), judge_case(mutant.twin(), *property, problem), {}};
    if (problem.backward) {
      scores.push_back(std::move(score));
      continue;
    }
    const auto usual = exhibits(kernel, parse_problems(usual_inputs), cases), own = exhibits(kernel, {problem}, cases);
    for (const auto& [judge_name, judge] : Registry<Judge>::all())
      score.judges.push_back({&judge, accepts_all(judge, usual), accepts_all(judge, own)});
    scores.push_back(std::move(score));
  }
  return scores;
}

}  // namespace attestone
