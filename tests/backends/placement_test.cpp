// SPDX-License-Identifier: Apache-2.0
// Kernels that take parts: the answers of parts merge to the truth of the whole, and their gradients add up to it.
#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/error_bound/gradient/gradient_bound.hpp"
#include "tests/backends/cut_call.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/effort.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

/// A biased problem with dO in the input format; out and gradients are f32.
RandomCall random_call(std::mt19937_64& random) {
  Problem problem = random_problem_with_gradients(random, kernel_formats);
  problem.pack();
  problem.output = dtype("f32");
  const std::array<const char*, 2> formulas{"alibi", "relative_position"};
  ScoreTerm term{formulas[random() % 2]};
  if (term.rule == "relative_position") term.argument = 0.1;
  if (problem.score.takes(term.rule)) problem.score.add(term);
  RandomCall call(problem);
  const View dout = call.inputs.dout->view();
  for_each_element(dout, [&](index b, index h, index i, index c) {
    dout.set(b, h, i, c, problem.input.decode(problem.input.encode(dout.value(b, h, i, c))));
  });
  return call;
}

/// One row of the whole in double, while parts join.
struct MergedRow {
  explicit MergedRow(index channels) : sums(static_cast<std::size_t>(channels)) {}

  void join(const PartOfCall& part, index b, index h, index i) {
    const double joins = part.log_sum_exp().view().value(b, h, i, 0);
    if (std::isinf(joins) && joins < 0) {
      for (std::size_t c = 0; c < sums.size(); ++c)
        EXPECT_EQ(part.out().view().value(b, h, i, static_cast<index>(c)), 0);
      return;
    }
    const double larger = std::fmax(log_sum_exp, joins), own = std::exp(log_sum_exp - larger),
                 others = std::exp(joins - larger);
    for (std::size_t c = 0; c < sums.size(); ++c)
      sums[c] = own * sums[c] + others * part.out().view().value(b, h, i, static_cast<index>(c));
    weight = own * weight + others;
    log_sum_exp = larger;
  }
  double out(index channel) const { return weight == 0 ? 0 : sums[static_cast<std::size_t>(channel)] / weight; }
  double whole_log_sum_exp() const { return log_sum_exp + std::log(weight); }

  double log_sum_exp = -std::numeric_limits<double>::infinity(), weight = 0;
  std::vector<double> sums;
};

/// A kernel's arithmetic, and merges in double of what parts store.
Numerics merged(Numerics numerics, MergeForm form, index parts, const DType& stored) {
  const DType& f64 = dtype("f64");
  numerics.merge.accumulator = {
      .roundoff = f64.unit_roundoff(), .largest = f64.largest(), .underflow = f64.smallest_normal()};
  numerics.merge.form = form;
  numerics.merge.parts = parts;
  numerics.merge.visits = Visits::any;
  numerics.merge.out = numerics.output.cast = gradual_cast(stored);
  numerics.merge.log_sum_exp_roundoff = dtype("f32").unit_roundoff();
  numerics.merge.exp_error = numerics.merge.log_error = 4 * f64.unit_roundoff();
  return numerics;
}

double share(double got, double exact, double bound) {
  if (got == exact) return 0;
  const double error = std::abs(got - exact) / bound;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// Kernels that do not merge parts of their own.
const std::vector<std::string> kernels{"dense",
                                       "chunked:query_chunk_size=5:key_chunk_size=7",
                                       "flash",
                                       "flash:block_q=7:block_kv=33:block_kv_compute=11",
                                       "flash:products=dots",
                                       "flash:products=tiles",
                                       "flash:flash_min_seq_length=10",
                                       "split:splits=1:block_kv=7",
                                       "decode:rows=5:block_kv=16"};

TEST(Placement, AnswersOfPartsMergeToTheWhole) {
  std::mt19937_64 random(15);
  std::map<std::string, double> worst;
  for (index n = 0; n < effort(600, 20000); ++n) {
    const RandomCall whole = random_call(random);
    const auto& [batch, heads, kv_heads, queries, keys, dim, value_dim] = whole.problem.shape;
    const Truth truth = certify_forward(whole.problem, whole.inputs, {.queries = {}, .escalate = false});
    const std::vector<Cut> cuts = cut_call(whole.problem, random);
    const std::string& name = kernels[random() % kernels.size()];
    const SharedKernel kernel = make_kernel(name);
    ASSERT_TRUE(kernel->takes_parts());
    const bool partial = kernel->computes_partials() && random() % 2 == 0;
    const DType stored = random() % 2 == 0 && !partial ? whole.problem.input : dtype("f32");
    std::vector<MergedRow> rows(static_cast<std::size_t>(whole.problem.shape.rows()), MergedRow(value_dim));
    for (const Cut& cut : cuts) {
      PartOfCall part(whole, cut, stored);
      partial ? part.run_partial(*kernel) : part.run(*kernel);
      for_each_element(part.log_sum_exp().view(), [&](index b, index h, index i, index) {
        const Extents at = in_whole(whole.outputs.out.view().extents(), part.of_query, {b, h, i, 0});
        rows[static_cast<std::size_t>((at[0] * heads + at[1]) * queries + at[2])].join(part, b, h, i);
      });
    }
    const ForwardBound bound(
        whole.problem, whole.inputs,
        merged(kernel->numerics(whole.problem), partial ? MergeForm::rescaled_sums : MergeForm::late_correction,
               std::ssize(cuts), stored));
    for_each_element(whole.outputs.log_sum_exp.view(), [&](index b, index h, index i, index) {
      const MergedRow& got = rows[static_cast<std::size_t>((b * heads + h) * queries + i)];
      const auto allowed = bound.row(b, h, i);
      const Certified& exact = truth.log_sum_exp(b, h, i);
      double& most = worst[partial ? name + " partial" : name];
      most = std::max(most, share(got.whole_log_sum_exp(), exact.value, allowed->log_sum_exp() + exact.bound));
      for (index c = 0; c < value_dim; ++c) {
        const Certified& element = truth.out(b, h, i, c);
        most = std::max(most, share(got.out(c), element.value, allowed->out(c) + element.bound));
      }
      ASSERT_LE(most, 1) << name << (partial ? " partial " : " ") << whole.problem.text() << " row " << b << " " << h
                         << " " << i;
    });
    if (HasFatalFailure()) return;
  }
  for (const auto& [name, most] : worst) std::cout << "  " << name << ": " << most << "\n";
}

/// L and delta of the whole, rounded once.
Outputs exact_rows(const RandomCall& whole) {
  const Truth truth = certify_forward(whole.problem, whole.inputs, {.queries = {}, .escalate = false});
  Outputs rows(whole.problem);
  rows.out = Tensor(dtype("f32"), rows.log_sum_exp.view().extents());
  for_each_element(rows.log_sum_exp.view(), [&](index b, index h, index i, index) {
    double delta = 0;
    for (index c = 0; c < whole.problem.shape.value_dim; ++c)
      delta += whole.inputs.dout->view().value(b, h, i, c) * truth.out(b, h, i, c).value;
    rows.log_sum_exp.view().set(b, h, i, 0, truth.log_sum_exp(b, h, i).value);
    rows.out.view().set(b, h, i, 0, delta);
  });
  return rows;
}

double worst_share(const SumOfParts& got, const CertifiedTensor& exact, const ElementBounds& bounds) {
  double most = 0;
  for_each_element(exact.extents(), [&](index b, index h, index r, index c) {
    const Certified& element = exact.at(b, h, r, c);
    most = std::max(most, share(got.at({b, h, r, c}), element.value, bounds.deterministic(b, h, r, c) + element.bound));
  });
  return most;
}

TEST(Placement, GradientsOfPartsAddUpToTheWhole) {
  std::mt19937_64 random(16);
  std::map<std::string, double> worst;
  for (index n = 0; n < effort(600, 20000); ++n) {
    const RandomCall whole = random_call(random);
    const GradientTruth truth = certify_backward(whole.problem, whole.inputs);
    const Outputs rows = exact_rows(whole);
    const std::string name = published_kernels()[random() % published_kernels().size()];
    const SharedKernel kernel = make_kernel(name);
    SumOfParts query(truth.query.extents()), key(truth.key.extents()), value(truth.value.extents());
    SumOfParts bias(truth.bias ? truth.bias->extents() : Extents{}),
        sink(truth.sink ? truth.sink->extents() : Extents{});
    for (const Cut& cut : cut_call(whole.problem, random)) {
      PartOfCall part(whole, cut, dtype("f32"));
      part.run_backward(*kernel, rows.log_sum_exp, rows.out);
      query.add(part.gradients().query, part.of_query);
      key.add(part.gradients().key, part.of_key);
      value.add(part.gradients().value, part.of_key);
      if (part.gradients().bias) bias.add(*part.gradients().bias, part.of_bias);
      if (part.gradients().sink) sink.add(*part.gradients().sink, part.of_sink);
    }
    const GradientBounds bounds = gradient_bounds(whole.problem, whole.inputs, kernel->numerics(whole.problem));
    const std::string text = name + " " + whole.problem.text();
    std::map<std::string, double> shares{{"dquery", worst_share(query, truth.query, bounds.query)},
                                         {"dkey", worst_share(key, truth.key, bounds.key)},
                                         {"dvalue", worst_share(value, truth.value, bounds.value)}};
    if (truth.bias) shares["dbias"] = worst_share(bias, *truth.bias, *bounds.bias);
    if (truth.sink) shares["dsink"] = worst_share(sink, *truth.sink, *bounds.sink);
    for (const auto& [tensor, most] : shares) {
      ASSERT_LE(most, 1) << tensor << " " << text;
      worst[tensor] = std::max(worst[tensor], most);
    }
  }
  for (const auto& [tensor, most] : worst) std::cout << "  " << tensor << ": " << most << "\n";
}

TEST(Placement, IsForwardedByChangedKernels) { EXPECT_TRUE(changed(make_kernel("flash"), {})->takes_parts()); }

}  // namespace
}  // namespace attestone
