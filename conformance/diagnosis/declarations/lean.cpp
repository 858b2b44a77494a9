// SPDX-License-Identifier: Apache-2.0
// Adding up errors sequence by sequence.
#include "conformance/diagnosis/declarations/lean.hpp"

#include <cmath>

#include "conformance/trial/trial.hpp"
#include "reference/problem/problem_fields.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double lambda = 9;  // as of the probabilistic bounds
constexpr index sequences = 256;

/// The lean over independent sequences and heads.
class Lean {
 public:
  /// One element: its error, and what it is projected on.
  void add(double got, double right, double along) {
    const double error = (got - right) * along;
    if (std::isfinite(error)) own_ += error;
  }
  void end_sequence() {
    sum_ += own_, squares_ += own_ * own_;
    own_ = 0;
  }
  bool leans() const { return std::abs(sum_) > lambda * std::sqrt(squares_); }

 private:
  double own_ = 0, sum_ = 0, squares_ = 0;
};

bool answers_lean(Trial& trial) {
  const Shape& s = trial.problem().shape;
  const Outputs& got = trial.answer().outputs;
  Lean out, log_sum_exp;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h) {
      for (index i = 0; i < s.queries; ++i) {
        for (index c = 0; c < s.value_dim && got.out.exists(); ++c) {
          const double right = trial.truth().out(b, h, i, c).value;
          out.add(got.out.view().value(b, h, i, c), right, right);
        }
        if (!got.log_sum_exp.exists()) continue;
        const double right = trial.truth().log_sum_exp(b, h, i).value;
        log_sum_exp.add(got.log_sum_exp.view().value(b, h, i, 0), right, 1);
      }
      out.end_sequence(), log_sum_exp.end_sequence();
    }
  return out.leans() || log_sum_exp.leans();
}

bool gradients_lean(Trial& trial) {
  const Gradients& got = trial.backward().answer().gradients;
  const GradientBounds& bounds = trial.backward().bounds();
  for (const ComparedGradient& gradient : compared_gradients(trial.backward().truth(), bounds, got)) {
    if (gradient.tensor == TensorName::dbias || gradient.tensor == TensorName::dsink) continue;
    const Extents& e = gradient.truth.extents();
    Lean lean;
    for (index b = 0; b < e[0]; ++b)
      for (index h = 0; h < e[1]; ++h, lean.end_sequence())
        for (index r = 0; r < e[2]; ++r)
          for (index c = 0; c < e[3]; ++c) {
            const double right = gradient.truth.at(b, h, r, c).value;
            lean.add(gradient.got.view().value(b, h, r, c), right, right);
          }
    if (lean.leans()) return true;
  }
  return false;
}

}  // namespace

bool errors_lean(const Kernel& kernel, const Problem& problem, bool gradients) {
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) return false;
  Problem many = problem;
  many.fill = {};
  many.shape.batch = sequences, many.shape.queries = many.shape.keys = 2;
  if (!layout_conflict(many).empty()) many.pack();
  if (!kernel.takes(many)) return false;
  try {
    Trial trial(kernel, many);
    return gradients ? gradients_lean(trial) : answers_lean(trial);
  } catch (const KernelRefusal&) {
    return false;
  }
}

}  // namespace attestone::inline conformance
