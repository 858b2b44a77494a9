// SPDX-License-Identifier: Apache-2.0
// Golden answers from the certified truth, answers from the kernel, and what a judge says of them.
#include "conformance/rival_rules/judged_case.hpp"

#include <algorithm>

#include "conformance/trial/trial.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

Inputs drawn(const Problem& problem, double (*element)(const Draw&, TensorName)) {
  if (!element) return filled(problem);
  return filled(problem, [&](const Element& at) { return element(draw_for(problem, at), at.tensor); });
}

/// Adds a certified element to both forms of the golden answer.
void append(std::vector<double>& golden, std::vector<double>& rounded, const Certified& element) {
  golden.push_back(element.value);
  rounded.push_back(element.rounded);
}

void append(std::vector<double>& golden, std::vector<double>& rounded, const CertifiedTensor& tensor) {
  const auto& [batches, heads, rows, channels] = tensor.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) append(golden, rounded, tensor.at(b, h, r, c));
}

}  // namespace

JudgedCase::JudgedCase(const Problem& problem) : JudgedCase(problem, filled(problem)) {}

JudgedCase::JudgedCase(const Problem& problem, double (*element)(const Draw&, TensorName))
    : JudgedCase(problem, drawn(problem, element)) {}

JudgedCase::JudgedCase(const Problem& problem, Inputs inputs) : problem_(problem), inputs_(std::move(inputs)) {
  problem_.wants.clear();  // what other projects look at they ask for
  const Shape& s = problem.shape;
  const Truth truth = certify_forward(problem_, inputs_, {.queries = std::nullopt, .escalate = false});
  auto &out = golden_[TensorName::out], &rounded_out = rounded_[TensorName::out];
  auto &lse = golden_[TensorName::log_sum_exp], &rounded_lse = rounded_[TensorName::log_sum_exp];
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < s.queries; ++i) {
        append(lse, rounded_lse, truth.log_sum_exp(b, h, i));
        for (index c = 0; c < s.value_dim; ++c) append(out, rounded_out, truth.out(b, h, i, c));
      }
  if (!problem.backward) return;
  const GradientTruth gradients = certify_backward(problem_, inputs_);
  append(golden_[TensorName::dquery], rounded_[TensorName::dquery], gradients.query);
  append(golden_[TensorName::dkey], rounded_[TensorName::dkey], gradients.key);
  append(golden_[TensorName::dvalue], rounded_[TensorName::dvalue], gradients.value);
}

void JudgedCase::add_baseline(const Recipe& recipe) {
  if (!baselines_.count(recipe)) baselines_.try_emplace(recipe, low_precision_baseline(problem_, inputs_, recipe));
}

bool JudgedCase::accepted(const Judge& judge, const AnswerValues& got) const {
  static const std::vector<double> none;
  const AnswerValues& baselines = baselines_.at(judge.baseline);
  return std::all_of(judge.looks_at.begin(), judge.looks_at.end(), [&](TensorName tensor) {
    const auto values = got.find(tensor);
    if (values == got.end()) return true;
    const auto baseline = baselines.find(tensor);
    return judge.accepts({problem_, tensor, values->second, golden_.at(tensor), rounded_.at(tensor),
                          baseline == baselines.end() ? none : baseline->second});
  });
}

std::optional<AnswerValues> answer_of(const Kernel& kernel, const JudgedCase& known) {
  Trial trial(kernel, known.problem());
  try {
    const Outputs outputs = trial.run(known.inputs()).outputs;
    AnswerValues answer{{TensorName::out, packed_values(outputs.out.view())},
                        {TensorName::log_sum_exp, packed_values(outputs.log_sum_exp.view())}};
    if (!known.problem().backward) return answer;
    const Gradients gradients = trial.backward().run(known.inputs(), outputs).gradients;
    answer[TensorName::dquery] = packed_values(gradients.query.view());
    answer[TensorName::dkey] = packed_values(gradients.key.view());
    answer[TensorName::dvalue] = packed_values(gradients.value.view());
    return answer;
  } catch (...) {
    const Blamed blamed = blame(std::current_exception());
    if (blamed.whose != Blame::kernel) blamed.rethrow();
    return std::nullopt;  // no other judge would have had an answer to look at
  }
}

}  // namespace attestone::inline conformance
