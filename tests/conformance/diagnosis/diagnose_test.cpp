// SPDX-License-Identifier: Apache-2.0
// Mutants are told what they compute instead; kernels that are right, or wrong in no known way, are told nothing.
#include "conformance/diagnosis/diagnose.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "conformance/problems/fill.hpp"
#include "conformance/problems/generate.hpp"
#include "conformance/run/kernels.hpp"
#include "mutants/mutant.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/registry.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/conformance/diagnosis/larger_problem.hpp"
#include "tests/conformance/run/random_kernel.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

bool names(const std::vector<Finding>& findings, std::string_view variant) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.name == variant; });
}

TEST(Diagnosis, NamesWhatAMutantComputes) {
  index with_variant = 0, grown = 0, named = 0, named_alone = 0;
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    if (mutant.variant.empty()) continue;
    ++with_variant;
    EXPECT_TRUE(names(diagnose(*mutant.kernel(), parse_problem(mutant.problem)), mutant.variant)) << name;
    if (!mutant.kernel()->takes(larger(mutant.problem))) continue;
    ++grown;
    const auto findings = diagnose(*mutant.kernel(), larger(mutant.problem));
    named += names(findings, mutant.variant);
    named_alone += findings.size() == 1 && findings.front().name == mutant.variant;
    if (!names(findings, mutant.variant))
      fmt::print("{} at {}: not '{}' but {}\n", name, larger(mutant.problem).text(), mutant.variant,
                 findings.empty() ? "nothing" : findings.front().name);
  }
  fmt::print("{} mutants have a variant; on larger problems {} of {} are named, {} as the only one\n", with_variant,
             named, grown, named_alone);
  EXPECT_GE(grown, 38);
  EXPECT_GE(named_alone * 100, grown * 80);
}

TEST(Diagnosis, NamesWhatIsWrongWhicheverAnswersAreAskedFor) {
  const Mutant& mutant = *Registry<Mutant>::find("alibi_sign");
  for (const char* wants : {" wants=out", " wants=log_sum_exp", " pass=forward+backward wants=out+log_sum_exp+dkey"})
    EXPECT_TRUE(names(diagnose(*mutant.kernel(), parse_problem(std::string(mutant.problem) + wants)), mutant.variant))
        << wants;
}

TEST(Diagnosis, NamesNothingForRightKernels) {
  for (const std::string& kernel : names_of_kernels_with_gradients())
    for (const char* text :
         {"shape=2x4/2x21x37x8 mask=causal score=softcap:5&bias:full&sink:head pass=forward+backward",
          "shape=2x2x9x20x16 lengths=3+20 dropout=0.25 dtype=bf16", "shape=1x1x5x7x8 fill=ties"})
      EXPECT_TRUE(diagnose(*make_kernel(kernel), parse_problem(text)).empty()) << kernel << " " << text;
}

/// Wrong by rounding, by one element, by a crash: none of that is a variant.
TEST(Diagnosis, NamesNothingForFaultsThatNobodyListed) {
  for (const char* name : {"delta_in_half", "short_row_offset", "no_keys_crash", "leaked_nan", "short_denominator"}) {
    const Mutant& mutant = *Registry<Mutant>::find(name);
    EXPECT_TRUE(diagnose(*mutant.kernel(), parse_problem(mutant.problem)).empty()) << name;
  }
}

/// Computes what every variant answers.
void expect_answers(const Problem& problem) {
  const Inputs inputs = filled(problem);
  for (const Variant& variant : variants_of(problem)) {
    Definition wrong(problem, inputs);
    variant.change(wrong);
    EXPECT_EQ(std::ssize(wrong.forward().log_sum_exp), problem.shape.rows()) << variant.name;
    if (!problem.backward) continue;
    EXPECT_EQ(std::ssize(wrong.backward().query), problem.shape.rows() * problem.shape.dim) << variant.name;
  }
}

/// Some devices hold no rows: a sequence of one query leaves none to the second of two. An empty sequence has no key
/// for any.
TEST(Diagnosis, IsNotUpsetByDevicesWithoutRows) {
  expect_answers(parse_problem(
      "shape=3x2x5x12x8 lengths=12+6+0 query_lengths=1+3+5 mask=causal dropout=0.25 pass=forward+backward"));
}

TEST(Diagnosis, HasAnAnswerOfEveryVariantToAnyProblem) {
  constexpr index most_work = 1 << 13;
  index asked = 0;
  for (index number = 0; number < effort(fewer_if_sanitized(1000), 20000); ++number) {
    const Problem problem = random_problem(20261125, number);
    const Shape& s = problem.shape;
    if (s.rows() * s.keys * std::max(s.dim, s.value_dim) > most_work) continue;
    SCOPED_TRACE(problem.text());
    expect_answers(problem);
    ++asked;
  }
  EXPECT_GE(asked, fewer_if_sanitized(100));
}

TEST(Diagnosis, HasManyVariantsWithNamesOfTheirOwn) {
  const Problem problem = parse_problem(
      "shape=2x4/2x21x37x8 lengths=5+37 mask=causal&window:3:2 score=softcap:5&bias:full&sink:head dropout=0.5 "
      "pass=forward+backward");
  std::set<std::string> known;
  for (const Variant& variant : variants_of(problem)) {
    EXPECT_TRUE(known.insert(variant.name).second) << variant.name;
    EXPECT_FALSE(variant.says.empty() || variant.look_at.empty()) << variant.name;
  }
  EXPECT_GE(known.size(), 60u);
}

/// The definition without a change is the truth, so that what is compared differs by the change alone.
TEST(Definition, IsTheTruth) {
  for (const char* text : {"shape=2x4/2x9x13x8:5 lengths=5+13 query_lengths=9+4 mask=causal "
                           "score=softcap:2&bias:full&sink:head dropout=0.3 "
                           "dtype=f64 pass=forward+backward",
                           "shape=1x2x7x6x4 mask=window:2:1 score=alibi dtype=f64 pass=forward+backward"}) {
    const Problem problem = parse_problem(text);
    const Inputs inputs = filled(problem);
    const Truth truth = certify_forward(problem, inputs);
    const Definition definition(problem, inputs);
    const DefinedAnswer answer = definition.forward();
    const auto expect_near = [&](double got, double right) {
      EXPECT_TRUE(got == right || std::abs(got - right) < 1e-12) << got << " " << right << " " << text;
    };
    std::size_t row = 0;
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index h = 0; h < problem.shape.heads; ++h)
        for (index i = 0; i < problem.shape.queries; ++i, ++row) {
          expect_near(answer.log_sum_exp[row], truth.log_sum_exp(b, h, i).value);
          for (index c = 0; c < problem.shape.value_dim; ++c)
            expect_near(
                answer.out[row * static_cast<std::size_t>(problem.shape.value_dim) + static_cast<std::size_t>(c)],
                truth.out(b, h, i, c).value);
        }
    const GradientTruth gradients = certify_backward(problem, inputs);
    const DefinedGradients defined = definition.backward();
    const std::pair<const CertifiedTensor*, const std::vector<double>*> pairs[] = {
        {&gradients.query, &defined.query}, {&gradients.key, &defined.key}, {&gradients.value, &defined.value}};
    for (const auto& [right, got] : pairs)
      for (std::size_t i = 0; i < got->size(); ++i)
        expect_near((*got)[i], right->at(0, 0, 0, static_cast<index>(i)).value);
  }
}

}  // namespace
}  // namespace attestone
