// SPDX-License-Identifier: Apache-2.0
// The baselines against the recipes of their projects, written out a second time for one query, and against the truth.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "conformance/problems/fill.hpp"
#include "conformance/rival_rules/judged_case.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/forward/truth.hpp"

namespace attestone {
namespace {

constexpr TensorName out = TensorName::out, log_sum_exp = TensorName::log_sum_exp, dquery = TensorName::dquery,
                     dkey = TensorName::dkey, dvalue = TensorName::dvalue;

/// One query, a few keys, two channels, in bf16: everything of which a recipe is made, as plain numbers.
struct OneQuery {
  static constexpr index keys = 5;
  Problem problem = parse_problem("shape=1x1x1x5x2:1 scale=0.3 dtype=bf16 pass=forward+backward");
  Inputs inputs;

  explicit OneQuery(std::uint64_t seed) : inputs(problem) {
    problem.seed = seed;
    inputs = filled(problem);
  }

  float q(index c) const { return static_cast<float>(inputs.query.view().value(0, 0, 0, c)); }
  float k(index j, index c) const { return static_cast<float>(inputs.key.view().value(0, 0, j, c)); }
  float v(index j) const { return static_cast<float>(inputs.value.view().value(0, 0, j, 0)); }
  float dO() const { return static_cast<float>(inputs.dout->view().value(0, 0, 0, 0)); }
  float fl(float x) const { return static_cast<float>(dtype("bf16").round(x)); }
};

using Floats = std::array<float, OneQuery::keys>;

Floats softmax(const Floats& s) {
  Floats p{};
  float largest = s[0], sum = 0;
  for (const float x : s) largest = std::max(largest, x);
  for (std::size_t j = 0; j < s.size(); ++j) sum += p[j] = std::exp(s[j] - largest);
  for (float& x : p) x /= sum;
  return p;
}

void expect_values(const std::vector<double>& got, const std::vector<float>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], static_cast<double>(expected[i])) << i;
}

TEST(Baseline, ScalesTheKeyAndRoundsEverythingForFlashAttention) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const OneQuery one(seed);
    const auto fl = [&](float x) { return one.fl(x); };
    Floats s{}, dp{};
    const auto k_scaled = [&](index j, index c) { return fl(one.k(j, c) * 0.3f); };
    for (index j = 0; j < OneQuery::keys; ++j) {
      const auto at = static_cast<std::size_t>(j);
      s[at] = fl(one.q(0) * k_scaled(j, 0) + one.q(1) * k_scaled(j, 1));
      dp[at] = fl(one.dO() * one.v(j));
    }
    Floats p = softmax(s);
    for (float& x : p) x = fl(x);
    float o = 0, delta = 0, dq0 = 0, dq1 = 0;
    for (std::size_t j = 0; j < p.size(); ++j) o += p[j] * one.v(static_cast<index>(j)), delta += p[j] * dp[j];
    std::vector<float> dk, dv;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const index key = static_cast<index>(j);
      const float ds = fl(p[j] * (dp[j] - delta));
      dq0 += ds * k_scaled(key, 0), dq1 += ds * k_scaled(key, 1);
      for (index c = 0; c < 2; ++c) dk.push_back(fl(fl(ds * one.q(c)) * 0.3f));
      dv.push_back(fl(p[j] * one.dO()));
    }
    const AnswerValues got = low_precision_baseline(
        one.problem, one.inputs, {.rounds = Recipe::Rounds::everything, .scales = Recipe::Scales::key});
    expect_values(got.at(out), {fl(o)});
    expect_values(got.at(dquery), {fl(dq0), fl(dq1)});
    expect_values(got.at(dkey), dk);
    expect_values(got.at(dvalue), dv);
  }
}

TEST(Baseline, ScalesQueryAndKeyByTheRootForMagiAttention) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    OneQuery one(seed);
    one.problem.given_scale = seed % 2 ? 0.3 : -0.3;
    const auto fl = [&](float x) { return one.fl(x); };
    const float scale = static_cast<float>(one.problem.scale()), root = static_cast<float>(std::sqrt(0.3));
    const float root_of_query = seed % 2 ? root : -root;
    Floats s{}, dp{}, plain{};
    const auto q_scaled = [&](index c) { return fl(one.q(c) * root_of_query); };
    const auto k_scaled = [&](index j, index c) { return fl(one.k(j, c) * root); };
    for (index j = 0; j < OneQuery::keys; ++j) {
      const auto at = static_cast<std::size_t>(j);
      s[at] = fl(q_scaled(0) * k_scaled(j, 0) + q_scaled(1) * k_scaled(j, 1));
      plain[at] = fl(fl(one.q(0) * one.k(j, 0) + one.q(1) * one.k(j, 1)) * scale);
      dp[at] = fl(one.dO() * one.v(j));
    }
    Floats p = softmax(s);
    for (float& x : p) x = fl(x);
    float o = 0, delta = 0, dq0 = 0, dq1 = 0, sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) o += p[j] * one.v(static_cast<index>(j)), delta += p[j] * dp[j];
    const float largest = *std::max_element(plain.begin(), plain.end());
    for (const float x : plain) sum += std::exp(x - largest);
    std::vector<float> dk;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const index key = static_cast<index>(j);
      const float ds = fl(p[j] * (dp[j] - delta));
      dq0 += ds * k_scaled(key, 0), dq1 += ds * k_scaled(key, 1);
      for (index c = 0; c < 2; ++c) dk.push_back(fl(fl(ds * q_scaled(c)) * root));
    }
    const AnswerValues got = low_precision_baseline(
        one.problem, one.inputs, {.rounds = Recipe::Rounds::everything, .scales = Recipe::Scales::query_and_key});
    expect_values(got.at(out), {fl(o)});
    expect_values(got.at(log_sum_exp), {largest + std::log(sum)});
    expect_values(got.at(dquery), {fl(fl(dq0) * root_of_query), fl(fl(dq1) * root_of_query)});
    expect_values(got.at(dkey), dk);
  }
}

TEST(Baseline, RoundsMatricesAndTakesDeltaFromTheOutputForFlexAttention) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const OneQuery one(seed);
    const auto fl = [&](float x) { return one.fl(x); };
    Floats s{};
    for (index j = 0; j < OneQuery::keys; ++j)
      s[static_cast<std::size_t>(j)] = fl(one.q(0) * one.k(j, 0) + one.q(1) * one.k(j, 1)) * 0.3f;
    const Floats exact = softmax(s);
    float o = 0, dq0 = 0, dq1 = 0;
    for (std::size_t j = 0; j < s.size(); ++j) o += fl(exact[j]) * one.v(static_cast<index>(j));
    const float delta = fl(o) * one.dO();
    std::vector<float> dk;
    for (std::size_t j = 0; j < s.size(); ++j) {
      const index key = static_cast<index>(j);
      const float ds = fl(fl(exact[j]) * (fl(one.dO() * one.v(key)) - delta) * 0.3f);
      dq0 += ds * one.k(key, 0), dq1 += ds * one.k(key, 1);
      for (index c = 0; c < 2; ++c) dk.push_back(fl(ds * one.q(c)));
    }
    const AnswerValues got = low_precision_baseline(one.problem, one.inputs,
                                                    {.rounds = Recipe::Rounds::matrices, .delta_from_output = true});
    expect_values(got.at(out), {fl(o)});
    expect_values(got.at(dquery), {fl(dq0), fl(dq1)});
    expect_values(got.at(dkey), dk);
  }
}

TEST(Baseline, RoundsScoresAfterEachStepForTheTritonTutorial) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const OneQuery one(seed);
    const auto fl = [&](float x) { return one.fl(x); };
    Floats s{};
    for (index j = 0; j < OneQuery::keys; ++j)
      s[static_cast<std::size_t>(j)] = fl(fl(one.q(0) * one.k(j, 0) + one.q(1) * one.k(j, 1)) * 0.3f);
    const Floats p = softmax(s);
    float o = 0;
    for (std::size_t j = 0; j < s.size(); ++j) o += fl(p[j]) * one.v(static_cast<index>(j));
    expect_values(low_precision_baseline(one.problem, one.inputs, {.rounds = Recipe::Rounds::everything}).at(out),
                  {fl(o)});
  }
}

TEST(Baseline, GivesMagnitudesOfAbsoluteValues) {
  OneQuery one(1);
  const Recipe recipe{.absolute_values = true};
  const double before = low_precision_baseline(one.problem, one.inputs, recipe).at(out)[0];
  const View value = one.inputs.value.view();
  for (index j = 0; j < OneQuery::keys; ++j) value.set(0, 0, j, 0, -std::abs(value.value(0, 0, j, 0)));
  EXPECT_GT(before, 0);
  EXPECT_EQ(low_precision_baseline(one.problem, one.inputs, recipe).at(out)[0], before);
  EXPECT_EQ(low_precision_baseline(one.problem, one.inputs, {}).at(out)[0], -before);
}

/// Infinities are near themselves.
void expect_near(double got, double expected, double tolerance) {
  if (got != expected) {
    EXPECT_NEAR(got, expected, tolerance);
  }
}

void expect_near(const std::vector<double>& got, const CertifiedTensor& truth, double tolerance, const char* name) {
  const auto& [batches, heads, rows, channels] = truth.extents();
  ASSERT_EQ(got.size(), static_cast<std::size_t>(batches * heads * rows * channels)) << name;
  std::size_t i = 0;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c, ++i) EXPECT_NEAR(got[i], truth.at(b, h, r, c).value, tolerance) << name;
}

TEST(Baseline, IsTheTruthWhereNothingIsRounded) {
  for (const char* text :
       {"shape=2x4/2x9x11x6:5 mask=causal score=softcap:3&bias:head&sink:head dropout=0.2 pass=forward+backward",
        "shape=2x2x5x7x4 lengths=7+3 query_lengths=5+4 mask=window:2:1 score=alibi pass=forward+backward",
        "shape=2x2x5x7x4 lengths=7+3 query_lengths=5+4 layout=ragged pass=forward+backward",
        "shape=1x1x4x2x3 mask=causal scale=0.7 pass=forward+backward", "shape=1x1x2x0x3 pass=forward+backward"}) {
    SCOPED_TRACE(text);
    const Problem problem = parse_problem(text);
    const Inputs inputs = filled(problem);
    const Truth truth = certify_forward(problem, inputs);
    const GradientTruth gradients = certify_backward(problem, inputs);
    for (const Recipe::Scales scales : {Recipe::Scales::scores, Recipe::Scales::key, Recipe::Scales::query_and_key})
      for (const bool delta_from_output : {false, true}) {
        const AnswerValues got =
            low_precision_baseline(problem, inputs, {.scales = scales, .delta_from_output = delta_from_output});
        constexpr double tolerance = 1e-5;
        std::size_t at = 0, row = 0;
        for (index b = 0; b < problem.shape.batch; ++b)
          for (index h = 0; h < problem.shape.heads; ++h)
            for (index i = 0; i < problem.shape.queries; ++i) {
              expect_near(got.at(log_sum_exp)[row++], truth.log_sum_exp(b, h, i).value, tolerance);
              for (index c = 0; c < problem.shape.value_dim; ++c)
                EXPECT_NEAR(got.at(out)[at++], truth.out(b, h, i, c).value, tolerance);
            }
        expect_near(got.at(dquery), gradients.query, tolerance, "dquery");
        expect_near(got.at(dkey), gradients.key, tolerance, "dkey");
        expect_near(got.at(dvalue), gradients.value, tolerance, "dvalue");
      }
  }
}

}  // namespace
}  // namespace attestone
