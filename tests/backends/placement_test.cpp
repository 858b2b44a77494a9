// SPDX-License-Identifier: Apache-2.0
// Kernels that take parts: the answers of parts merge to the truth of the whole, and their gradients add up to it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/error_bound/gradient/gradient_bound.hpp"
#include "tests/backends/cut_call.hpp"
#include "tests/backends/merged_call.hpp"
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

/// One of these kernels.
const Kernel& one_of(const std::vector<SharedKernel>& kernels, std::mt19937_64& random) {
  return *kernels[random() % kernels.size()];
}

TEST(Placement, AnswersOfPartsMergeToTheWhole) {
  std::mt19937_64 random(15);
  const std::vector<SharedKernel> kernels = kernels_that_do_not_merge();
  std::map<std::string, double> worst;
  for (index n = 0; n < effort(fewer_if_sanitized(600), 20000); ++n) {
    const RandomCall whole = random_call(random);
    const std::vector<Cut> cuts = cut_call(whole.problem, random);
    const Kernel& kernel = one_of(kernels, random);
    ASSERT_TRUE(kernel.takes_parts());
    const bool partial = kernel.computes_partials() && random() % 2 == 0;
    const DType stored = random() % 2 == 0 && !partial ? whole.problem.input : dtype("f32");
    MergedCall got(whole);
    for (const Cut& cut : cuts) {
      PartOfCall part(whole, cut, stored);
      partial ? part.run_partial(kernel) : part.run(kernel);
      got.join(part);
    }
    const MergeForm form = partial ? MergeForm::rescaled_sums : MergeForm::late_correction;
    const double most = got.worst_share(merged(kernel.numerics(whole.problem), form, std::ssize(cuts), stored));
    const std::string name = fmt::format("{}{}", kernel.name(), partial ? " partial" : "");
    ASSERT_LE(most, 1) << name << " " << whole.problem.text();
    worst[name] = std::max(worst[name], most);
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
  const std::vector<SharedKernel> kernels = kernels_with_gradients();
  std::map<std::string, double> worst;
  for (index n = 0; n < effort(fewer_if_sanitized(600), 20000); ++n) {
    const RandomCall whole = random_call(random);
    const GradientTruth truth = certify_backward(whole.problem, whole.inputs);
    const Outputs rows = exact_rows(whole);
    const Kernel& kernel = one_of(kernels, random);
    SumOfParts query(truth.query.extents()), key(truth.key.extents()), value(truth.value.extents());
    SumOfParts bias(truth.bias ? truth.bias->extents() : Extents{}),
        sink(truth.sink ? truth.sink->extents() : Extents{});
    for (const Cut& cut : cut_call(whole.problem, random)) {
      PartOfCall part(whole, cut, dtype("f32"));
      part.run_backward(kernel, rows.log_sum_exp, rows.out);
      query.add(part.gradients().query, part.of_query);
      key.add(part.gradients().key, part.of_key);
      value.add(part.gradients().value, part.of_key);
      if (part.gradients().bias) bias.add(*part.gradients().bias, part.of_bias);
      if (part.gradients().sink) sink.add(*part.gradients().sink, part.of_sink);
    }
    const GradientBounds bounds = gradient_bounds(whole.problem, whole.inputs, kernel.numerics(whole.problem));
    std::map<std::string, double> shares{{"dquery", worst_share(query, truth.query, bounds.query)},
                                         {"dkey", worst_share(key, truth.key, bounds.key)},
                                         {"dvalue", worst_share(value, truth.value, bounds.value)}};
    if (truth.bias) shares["dbias"] = worst_share(bias, *truth.bias, *bounds.bias);
    if (truth.sink) shares["dsink"] = worst_share(sink, *truth.sink, *bounds.sink);
    for (const auto& [tensor, most] : shares) {
      ASSERT_LE(most, 1) << tensor << " " << kernel.name() << " " << whole.problem.text();
      worst[tensor] = std::max(worst[tensor], most);
    }
  }
  for (const auto& [tensor, most] : worst) std::cout << "  " << tensor << ": " << most << "\n";
}

std::vector<std::uint64_t> codes(const Tensor& tensor) {
  std::vector<std::uint64_t> all;
  for_each_element(tensor.view(),
                   [&](index b, index h, index r, index c) { all.push_back(tensor.view().code(b, h, r, c)); });
  return all;
}

Numbers up_to(index count) {
  Numbers all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Placement, OfEverythingChangesNoBit) {
  std::mt19937_64 random(17);
  const std::vector<SharedKernel> kernels = repeatable_kernels();
  for (index n = 0; n < effort(100, 5000); ++n) {
    RandomCall whole = random_call(random);
    const Shape& shape = whole.problem.shape;
    const Cut all{up_to(shape.batch), up_to(shape.heads), up_to(shape.queries), up_to(shape.keys)};
    const Kernel& kernel = one_of(kernels, random);
    whole.run(kernel);
    PartOfCall part(whole, all, dtype("f32"));
    part.run(kernel);
    ASSERT_EQ(codes(part.out()), codes(whole.outputs.out)) << kernel.name() << " " << whole.problem.text();
    ASSERT_EQ(codes(part.log_sum_exp()), codes(whole.outputs.log_sum_exp))
        << kernel.name() << " " << whole.problem.text();
  }
}

TEST(Placement, IsForwardedByChangedKernels) { EXPECT_TRUE(changed(make_kernel("flash"), {})->takes_parts()); }

}  // namespace
}  // namespace attestone
