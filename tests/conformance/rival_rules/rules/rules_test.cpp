// SPDX-License-Identifier: Apache-2.0
// The rule of every judge on cases worked out by hand: just inside, just outside, and beside NaN and infinities.
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
constexpr TensorName out = TensorName::out, log_sum_exp = TensorName::log_sum_exp, dquery = TensorName::dquery,
                     dkey = TensorName::dkey, dvalue = TensorName::dvalue;

/// A question to a rule: answers that it must accept and must not. The golden answer needs no rounding.
struct Question {
  const char* judge;
  const char* problem;
  TensorName tensor;
  std::vector<double> golden, baseline, inside, outside;
};

bool accepts(const Question& q, const std::vector<double>& got) {
  const Problem problem = parse_problem(q.problem);
  return Registry<Judge>::find(q.judge)->accepts({problem, q.tensor, got, q.golden, q.golden, q.baseline});
}

/// Ones, `hundreds` times a hundred, except for the first elements.
std::vector<double> ones(const std::vector<double>& first, std::size_t hundreds = 1) {
  std::vector<double> all(100 * hundreds, 1);
  std::copy(first.begin(), first.end(), all.begin());
  return all;
}

// In bf16 the noise of FlashAttention 3 at 1 is 2 * 2^-8: 1.3 becomes 1.296875, and 0.996875 becomes 1 - 2^-8.
constexpr double noise = 0x1p-7;

// long: a table, at least one question per rule
TEST(JudgeRules, AcceptJustInsideAndConvictJustOutside) {
  const char *f16 = "shape=1x1x1x3x1 dtype=f16", *bf16 = "shape=1x1x1x3x1 dtype=bf16", *f32 = "shape=1x1x1x3x1";
  const char* capped = "shape=1x1x1x3x1 score=softcap:9 dtype=bf16";
  const std::vector<Question> questions{
      {"flash_attention_2", bf16, out, {1, 2}, {1.125, 2}, {1, 2.25}, {1, 2.2500001}},
      {"flash_attention_2", bf16, dkey, {1, 2}, {1.125, 2}, {1, 2.375}, {1, 2.3750001}},
      {"flash_attention_3", bf16, out, {1}, {1.125}, {1.25 + noise}, {1.2500001 + noise}},
      {"flash_attention_3", capped, out, {1}, {1.125}, {1.375 + noise}, {1.3750001 + noise}},
      {"flash_attention_3", capped, dkey, {1}, {1.125}, {1.37529 + noise}, {1.37531 + noise}},
      {"pytorch_sdpa", bf16, out, {1, 2}, {1.125, 2}, {1, 2.5}, {1, 2.5000001}},
      {"pytorch_sdpa", bf16, dquery, {1}, {1.125}, {23.5}, {23.5000001}},
      {"pytorch_sdpa", bf16, dkey, {1}, {1.125}, {3}, {3.0000001}},
      {"pytorch_sdpa", bf16, dvalue, {1}, {1.125}, {1.5}, {1.5000001}},
      {"pytorch_sdpa", f32, out, {1}, {1}, {1.0000099}, {1.0000101}},
      {"assert_close", f16, out, {2}, {}, {2.002}, {2.00202}},
      {"assert_close", bf16, out, {2}, {}, {2.032}, {2.03202}},
      {"assert_close", f32, out, {2}, {}, {2.0000125}, {2.0000127}},
      {"flex_attention", f16, out, {0, 0}, {1, 1}, {4.2, 0}, {4.3, 0}},
      {"flex_attention", f32, out, {0, 0}, {1, 1}, {22, 0}, {22.1, 0}},
      {"flex_attention", f32, out, {0, 0}, {0, 0}, {1.9e-7, 0}, {2.1e-7, 0}},
      {"kernel_bench", f16, out, {0}, {1}, {1.0202}, {1.0203}},
      {"kernel_bench", f16, out, {0}, {1}, {0.9803}, {0.9801}},
      {"kernel_bench", f32, out, {0}, {1}, {1.0202}, {1.0203}},
      {"kernel_bench_0_2", f16, out, {0}, {1}, {1.0202}, {1.0203}},
      {"kernel_bench_0_2", bf16, out, {0}, {1}, {0.9803}, {0.9801}},
      {"kernel_bench_0_2", f32, out, {0}, {1}, {1.0002}, {1.00021}},
      {"backend_bench", f32, out, {0}, {1}, {1.0202}, {1.0203}},
      {"flashinfer_bench", bf16, out, {1}, {}, {1.0099}, {1.0101}},
      {"flashinfer_bench", bf16, out, {100}, {}, {100.99}, {101.01}},
      {"flashinfer_bench", bf16, out, {0.001}, {}, {0.0109}, {0.0111}},
      {"gpu_mode", bf16, out, {0}, {1}, {1.0279}, {1.0281}},
      {"flashinfer", f16, out, {0}, {2}, {2.0029}, {2.0031}},
      {"flashinfer", bf16, out, {0}, {2}, {2.029}, {2.031}},
      {"flashinfer", "shape=1x1x2x3x1 score=alibi dtype=f16", out, {0}, {2}, {2.029}, {2.031}},
      {"flashinfer", "shape=1x1x1x3x1 score=alibi dtype=f16", out, {0}, {2}, {2.0029}, {2.0031}},
      {"flashinfer", "shape=1x1x2x3x1 score=softcap:9 dtype=f16", out, {0}, {2}, {2.029}, {2.031}},
      // 1e-3 of base 2 is 0.000693 of base e.
      {"flashinfer", bf16, log_sum_exp, {0}, {}, {0.00069}, {0.0007}},
      {"flashinfer", bf16, log_sum_exp, {10}, {}, {10.0106}, {10.0108}},
      // The largest of 64 weights that are uniform in [-1, 1).
      {"sglang", f16, out, {}, {0}, {0.0299}, {0.0325}},
      {"sol_exec_bench", bf16, out, {2}, {}, {2.0299}, {2.0301}},
      {"sol_exec_bench", bf16, out, {2, -inf}, {}, {2.0299, -inf}, {2.0301, -inf}},
      {"sol_exec_bench", bf16, out, {0.001, 0}, {}, {0, 0.001}, {0, 0}},
      {"sol_exec_bench", bf16, log_sum_exp, {0}, {}, {0.0069}, {0.007}},
      {"sol_exec_bench", bf16, out, ones({}), {}, ones({5}), ones({5, 5})},
      {"magi_attention", bf16, out, {1, 2}, {1.5, 2}, {1, 3}, {1, 3.0000001}},
      {"magi_attention", bf16, log_sum_exp, {1}, {1.0005}, {1.001}, {1.0010001}},
      // Where a row is empty its distance is infinite, so that only shares are left; and the baseline's is 0.
      {"magi_attention", bf16, log_sum_exp, {-inf, 1}, {-inf, 1}, {-inf, 1.0009}, {-inf, 1.0011}},
      // A quarter of the baseline is further than 0.05, and half may be; never more than three quarters.
      {"magi_attention", bf16, out, {1, 1, 1, 1}, {1.5, 1, 1, 1}, {2, 1.06, 1, 1}, {2, 1.06, 1.06, 1}},
      {"magi_attention", bf16, dvalue, {1, 1, 1, 1}, {1.5, 1.5, 1.5, 1}, {2, 2, 2, 1.04}, {2, 2, 2, 1.06}},
      {"magi_attention", bf16, dquery, {1, 1, 1, 1}, {1.5, 1, 1, 1}, {2, 2, 1.29, 1}, {2, 2, 1.31, 1}},
      {"magi_attention", f16, dquery, {1, 1, 1, 1}, {1.5, 1, 1, 1}, {2, 2, 1.19, 1}, {2, 2, 1.21, 1}},
      {"magi_attention", bf16, dkey, {1, 1, 1, 1}, {1.5, 1, 1, 1}, {2, 2, 1.14, 1}, {2, 2, 1.16, 1}},
      {"magi_attention", f16, dkey, {1, 1, 1, 1}, {1.5, 1, 1, 1}, {2, 2, 1.07, 1}, {2, 2, 1.09, 1}},
      // None of the baseline is, but one in two hundred may be.
      {"magi_attention", bf16, dquery, ones({}, 2), ones({1.25}, 2), ones({1.5}, 2), ones({1.5, 1.5}, 2)},
      {"onnx", f32, out, {1}, {}, {1.001}, {1.0011}},
      {"onnx", f32, out, {0}, {}, {1e-7}, {1.1e-7}},
      {"triton_tutorial", f16, dquery, {0}, {1}, {1.0099}, {1.0101}},
      // Three keys: t = 8 * 4 * 2^-10 = 1/32, for gradients 1/8; the floor is 2^-10 * 4.
      {"benchdnn", f16, out, {1}, {1}, {1.03125}, {1.0313}},
      {"benchdnn", f16, out, {0}, {0}, {0.03125}, {0.0313}},
      {"benchdnn", f16, out, {0.001}, {4}, {0.0049}, {0.005}},
      {"benchdnn", f16, dquery, {1}, {}, {1.125}, {1.1251}},
      {"benchdnn", f16, dquery, {0.1}, {}, {0.1499}, {0.1501}},
  };
  std::set<std::string_view> asked;
  for (const Question& question : questions) {
    EXPECT_TRUE(accepts(question, question.inside)) << question.judge << " at " << question.inside.back();
    EXPECT_FALSE(accepts(question, question.outside)) << question.judge << " at " << question.outside.back();
    asked.insert(question.judge);
  }
  for (const auto& [name, judge] : Registry<Judge>::all()) EXPECT_TRUE(asked.count(judge.name)) << name;
}

/// The verdict of a rule on one element. The golden answer is the baseline too.
struct Special {
  const char* judge;
  double got, golden;
  bool accepted;
};

// long: a table, at least one question per rule
TEST(JudgeRules, TreatNaNAndInfinitiesAsTheirOriginalsDo) {
  std::vector<Special> specials;
  // NaN against a number, infinity against a number: nobody accepts.
  for (const auto& [name, judge] : Registry<Judge>::all()) {
    specials.push_back({name.c_str(), nan, 1, false});
    specials.push_back({name.c_str(), inf, 1, false});
  }
  const std::vector<Special> own{
      // Differences are NaN, and nothing is smaller than NaN.
      {"flash_attention_2", nan, nan, false},
      {"flash_attention_2", inf, inf, false},
      {"flash_attention_3", nan, nan, false},
      {"flash_attention_3", inf, inf, false},
      {"flex_attention", nan, nan, false},
      {"flex_attention", inf, inf, false},
      // Unchecked where the baseline differs from the golden answer by NaN.
      {"pytorch_sdpa", nan, nan, true},
      {"pytorch_sdpa", 1, nan, true},
      {"pytorch_sdpa", inf, inf, true},
      {"assert_close", nan, nan, false},
      {"assert_close", inf, inf, true},
      {"assert_close", inf, -inf, false},
      {"kernel_bench", nan, nan, false},
      {"kernel_bench", inf, inf, true},
      {"kernel_bench", 1, inf, false},
      {"backend_bench", nan, nan, true},
      {"backend_bench", inf, inf, true},
      {"backend_bench", 1, nan, false},
      // A legitimate infinity is impossible, and what the reference lacks is not looked at.
      {"flashinfer_bench", inf, inf, false},
      {"flashinfer_bench", nan, nan, false},
      {"flashinfer_bench", 5, nan, true},
      {"flashinfer_bench", 5, inf, true},
      {"kernel_bench_0_2", nan, nan, false},
      {"kernel_bench_0_2", inf, inf, true},
      {"kernel_bench_0_2", 1, inf, false},
      {"flashinfer", nan, nan, false},
      {"flashinfer", inf, inf, true},
      {"flashinfer", 1, inf, false},
      {"sglang", nan, nan, false},
      {"sglang", inf, inf, true},
      {"sglang", inf, -inf, false},
      // Of what is not finite it takes -infinity alone.
      {"sol_exec_bench", nan, nan, false},
      {"sol_exec_bench", inf, inf, false},
      {"sol_exec_bench", -inf, -inf, true},
      {"sol_exec_bench", 1, -inf, false},
      {"sol_exec_bench", 1, nan, false},
      {"magi_attention", nan, nan, false},
      {"magi_attention", inf, inf, false},
      {"magi_attention", -inf, -inf, true},
      {"magi_attention", 1, -inf, false},
      {"gpu_mode", nan, nan, true},
      {"gpu_mode", inf, inf, true},
      {"gpu_mode", inf, -inf, false},
      {"gpu_mode", 1, nan, false},
      {"onnx", nan, nan, true},
      {"onnx", inf, inf, true},
      {"onnx", inf, -inf, false},
      {"triton_tutorial", nan, nan, false},
      {"triton_tutorial", inf, inf, true},
      {"benchdnn", nan, nan, true},
      {"benchdnn", inf, inf, true},
      {"benchdnn", inf, -inf, false},
  };
  specials.insert(specials.end(), own.begin(), own.end());
  for (const Special& special : specials) {
    const Question question{
        special.judge, "shape=1x1x1x3x1 dtype=f16", out, {special.golden}, {special.golden}, {}, {}};
    EXPECT_EQ(accepts(question, {special.got}), special.accepted)
        << special.judge << ": " << special.got << " for " << special.golden;
  }
}

// A channel of 64 reaches each hidden channel with a weight of at most 1/8; all of a query add up.
TEST(JudgeRules, OfSglangSeeTheChannelsOfAQueryTogether) {
  constexpr std::size_t heads = 4, queries = 64, channels = 16;
  const std::vector<double> zeros(heads * queries * channels);
  std::vector<double> one_of_each_query = zeros, all_of_one_query = zeros;
  for (std::size_t query = 0; query < queries; ++query) one_of_each_query[query * channels] = 0.2;
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t c = 0; c < channels; ++c) all_of_one_query[head * queries * channels + c] = 0.2;
  const Question question{"sglang", "shape=1x4x64x3x16 dtype=f16", out, {}, zeros, {}, {}};
  EXPECT_TRUE(accepts(question, one_of_each_query));
  EXPECT_FALSE(accepts(question, all_of_one_query));
}

TEST(JudgeRules, SayWhereTheyStandAndWhatTheyAreShown) {
  EXPECT_GE(Registry<Judge>::all().size(), 17u);
  for (const auto& [name, judge] : Registry<Judge>::all()) {
    for (const std::string_view words : {judge.rule, judge.source, judge.usual, judge.scaled})
      EXPECT_FALSE(words.empty()) << name;
    EXPECT_FALSE(judge.looks_at.empty()) << name;
  }
}

TEST(JudgeRules, AcceptNothingAtAll) {
  for (const auto& [name, judge] : Registry<Judge>::all())
    EXPECT_TRUE(accepts({name.c_str(), "shape=1x1x0x3x1 dtype=f16", out, {}, {}, {}, {}}, {})) << name;
}

}  // namespace
}  // namespace attestone
