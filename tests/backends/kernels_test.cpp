// SPDX-License-Identifier: Apache-2.0
// Every published kernel against the rules, forward and backward, on every feature of the language.
#include <array>
#include <gtest/gtest.h>
#include <map>

#include "backends/changed_kernel.hpp"
#include "tests/backends/definition.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/effort.hpp"
#include "tests/one_target.hpp"
#include "tests/random_call.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 7> names{
    "out", "log_sum_exp", "dquery", "dkey", "dvalue", "dbias or dsink", "dsink beside dbias"};

/// The worst error of any result in units of its bound, infinite for a NaN; by tensor in `worst`.
double worst_share(RandomCall& call, const DefinedAttention& want, std::map<std::string_view, double>& worst) {
  const std::vector<Tensor*> got = call.results();
  const std::vector<const DefinedTensor*> exact = want.results();
  double all = 0;
  for (std::size_t which = 0; which < got.size(); ++which) {
    std::size_t next = 0;
    for_each_element(got[which]->view().extents(), [&](index b, index h, index r, index c) {
      const double is = got[which]->view().value(b, h, r, c), should = exact[which]->value[next];
      const double error = is == should ? 0 : std::abs(is - should) / exact[which]->bound[next];
      const double share = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
      worst[names[which]] = std::max(worst[names[which]], share);
      all = std::max(all, share);
      ++next;
    });
  }
  return all;
}

TEST(Kernels, AgreeWithTheRules) {
  std::mt19937_64 random(1);
  std::map<std::string, std::map<std::string_view, double>> worst;
  for (index n = 0; n < effort(fewer_if_sanitized(75), 5000); ++n) {
    RandomCall call(random_problem_with_gradients(random, kernel_formats));
    for (const SharedKernel& kernel : kernels_with_gradients()) {
      const std::string name = kernel->name();
      ASSERT_TRUE(kernel->supports(call.problem)) << name << " " << call.problem.text();
      ASSERT_EQ(call.run(*kernel), kernel->forward_bytes(call.problem)) << name << " " << call.problem.text();
      ASSERT_EQ(call.run_backward(*kernel), kernel->backward_bytes(call.problem)) << name << " " << call.problem.text();
      const DefinedAttention want = attention_by_rules(call.problem, call.inputs, kernel->numerics(call.problem));
      ASSERT_LE(worst_share(call, want, worst[name]), 1) << name << " " << call.problem.text();
      for (const Tensor* tensor : call.results()) ASSERT_TRUE(tensor->guards_intact());
    }
  }
  for (const auto& [name, shares] : worst) {
    std::cout << "  " << name << ":";
    for (const auto& [tensor, share] : shares) std::cout << "  " << tensor << " " << share;
    std::cout << "\n";
  }
}

/// Kernels follow the rules on every instruction set that this machine has, with the same bits wherever multiply-adds
/// are fused.
TEST(Kernels, AgreeWithTheRulesOnEveryTarget) {
  std::mt19937_64 random(3);
  for (index n = 0; n < effort(fewer_if_sanitized(25), 1000); ++n) {
    RandomCall call(random_problem_with_gradients(random, kernel_formats));
    for (const SharedKernel& kernel : repeatable_kernels()) {
      const std::string name = kernel->name();
      const DefinedAttention want = attention_by_rules(call.problem, call.inputs, kernel->numerics(call.problem));
      std::map<std::string_view, double> worst;
      std::optional<std::vector<std::uint64_t>> fused;
      for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        const OneTarget only(target);
        call.run(*kernel);
        call.run_backward(*kernel);
        ASSERT_LE(worst_share(call, want, worst), 1)
            << hwy::TargetName(target) << " " << name << " " << call.problem.text();
        if (!fuses(target)) continue;
        if (!fused) fused = call.codes();
        ASSERT_EQ(*fused, call.codes()) << hwy::TargetName(target) << " " << name << " " << call.problem.text();
      }
    }
  }
}

/// flash and chunked read masks as diagonals; the same masks as bytes give the same bits.
TEST(Kernels, GiveTheSameBitsForTheMaskAsBytes) {
  std::mt19937_64 random(2);
  for (index n = 0; n < effort(fewer_if_sanitized(60), 2000); ++n) {
    RandomCall call(random_problem_with_gradients(random, kernel_formats));
    for (const SharedKernel& kernel : repeatable_kernels()) {
      std::vector<std::vector<std::uint64_t>> answers;
      for (const SharedKernel& one :
           {kernel, changed(kernel, {.wants_mask_bytes = [](const Problem&) { return true; }})}) {
        call.run(*one);
        call.run_backward(*one);
        answers.push_back(call.codes());
      }
      ASSERT_EQ(answers[0], answers[1]) << kernel->name() << " " << call.problem.text();
    }
  }
}

TEST(Kernels, RefuseWithAReason) {
  for (const char* text : {"shape=1x1x2x2x2 dtype=f64", "shape=1x1x2x2x2 dtype=e4m3>f32"})
    for (const SharedKernel& kernel : example_kernels()) {
      const Support support = kernel->supports(parse_problem(text));
      EXPECT_FALSE(support) << kernel->name() << " " << text;
      EXPECT_FALSE(support.why.empty());
    }
}

}  // namespace
}  // namespace attestone
