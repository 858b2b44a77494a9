// SPDX-License-Identifier: Apache-2.0
// A problem with its truth, judged as its default class or as declared, and the truth itself as an answer.
#pragma once

#include "conformance/problems/fill.hpp"
#include "conformance/verdict/compare.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone {

struct Judged {
  explicit Judged(
      const char* text, void (*spoil)(Inputs&) = [](Inputs&) {}, const char* declared = "")
      : problem(parse_problem(text)),
        inputs(spoiled(problem, spoil)),
        numerics(with_declared(default_numerics(problem.input, problem.output), declared, "the test")),
        truth(certify_forward(problem, inputs)),
        bound(problem, inputs, numerics),
        bounds(problem, truth, bound),
        answer(problem) {
    const Shape& s = problem.shape;
    for (index b = 0; b < s.batch; ++b)
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < s.queries; ++i) {
          for (index c = 0; c < s.value_dim; ++c) set(answer.out, b, h, i, c, truth.out(b, h, i, c));
          set(answer.log_sum_exp, b, h, i, 0, truth.log_sum_exp(b, h, i));
          if (answer.max_logits) set(*answer.max_logits, b, h, i, 0, truth.max_logits(b, h, i));
        }
  }
  static void set(Tensor& answer, index b, index h, index i, index c, const Certified& right) {
    if (answer.exists()) answer.view().set(b, h, i, c, right.rounded);
  }
  static Inputs spoiled(const Problem& problem, void (*spoil)(Inputs&)) {
    Inputs inputs = filled(problem);
    spoil(inputs);
    return inputs;
  }
  Comparison compare() { return attestone::compare(truth, bounds, answer, 0); }

  Problem problem;
  Inputs inputs;
  Numerics numerics;
  Truth truth;
  ForwardBound bound;
  BoundTable bounds;
  Outputs answer;
};

}  // namespace attestone
