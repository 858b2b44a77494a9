// SPDX-License-Identifier: Apache-2.0
// The tests' own definition: its answers beside the ladder's, its gradients beside central differences of its answers.
#include "tests/backends/definition.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "reference/attention/2_stable.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 1> exact_format{"f64"};

Numerics double_numerics() { return default_numerics(dtype("f64"), dtype("f64")); }

TEST(Definition, AgreesWithTheLadder) {
  std::mt19937_64 random(1);
  for (index n = 0; n < effort(50, 1000); ++n) {
    Problem problem = random_problem_with_gradients(random, exact_format);
    problem.dropout = 0;
    if (problem.score.has_sink()) continue;
    const RandomCall call(problem);
    const Answer want = stable_attention(problem, call.inputs);
    const DefinedAttention got = attention_by_rules(problem, call.inputs, double_numerics());
    for_each_element(got.out.extents, [&](index b, index h, index i, index c) {
      const std::size_t at = got.out.place(b, h, i, c);
      EXPECT_NEAR(got.out.value[at], want.out(b, h, i)[static_cast<std::size_t>(c)], got.out.bound[at])
          << problem.text();
    });
  }
}

/// sum out * dout, and the sum of its terms' sizes.
std::pair<double, double> loss(const RandomCall& call) {
  const DefinedTensor out = attention_by_rules(call.problem, call.inputs, double_numerics()).out;
  double sum = 0, size = 0;
  for_each_element(out.extents, [&](index b, index h, index i, index c) {
    const double term = out.value[out.place(b, h, i, c)] * call.inputs.dout->view().value(b, h, i, c);
    sum += term;
    size += std::abs(term);
  });
  return {sum, size};
}

/// (loss(x + step) - loss(x - step)) / 2 step, for the element x that `set` writes.
template <class Set>
double central_difference(const RandomCall& call, double x, double step, Set set) {
  set(x + step);
  const double above = loss(call).first;
  set(x - step);
  const double below = loss(call).first;
  set(x);
  return (above - below) / (2 * step);
}

TEST(Definition, HasTheGradientsOfItsAnswers) {
  std::mt19937_64 random(2);
  for (index n = 0; n < effort(fewer_if_sanitized(20), 500); ++n) {
    Problem problem = random_problem_with_gradients(random, exact_format);
    problem.shape.queries = std::min<index>(problem.shape.queries, 5);
    problem.shape.keys = std::min<index>(problem.shape.keys, 6);
    problem.shape.dim = problem.shape.value_dim = 2;
    problem.lengths = problem.query_lengths = {};
    problem.layout = "bhsd";
    RandomCall call(problem);
    const DefinedAttention all = attention_by_rules(problem, call.inputs, double_numerics());
    const std::vector<const DefinedTensor*> results = all.results();  // out and log_sum_exp, then the gradients
    // Fewer than 2^8 roundings reach any of the terms.
    const double rounding = 0x1p-45 * (1 + loss(call).second);
    const std::vector<Tensor*> inputs = call.input_tensors();  // dout is the last one, and has no gradient
    for (std::size_t which = 0; which + 1 < inputs.size(); ++which) {
      const View view = inputs[which]->view();
      std::size_t next = 0;
      for_each_element(view.extents(), [&](index b, index h, index r, index c) {
        const auto set = [&](double x) { view.set(b, h, r, c, x); };
        const double x = view.value(b, h, r, c), step = 0x1p-10;
        const double coarse = central_difference(call, x, step, set), fine = central_difference(call, x, step / 2, set);
        // Their errors are as 4 to 1, so that the finer one errs by a third of the difference; and by rounding.
        const double tolerance = std::abs(coarse - fine) + rounding / step;
        ASSERT_NEAR(results[2 + which]->value[next++], fine, tolerance)
            << problem.text() << ", input " << which << " at " << b << " " << h << " " << r << " " << c;
      });
    }
  }
}

}  // namespace
}  // namespace attestone
