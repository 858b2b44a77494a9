// SPDX-License-Identifier: Apache-2.0
// A kernel that computes with other codes than it declares is told with which; one that is wrong otherwise is not.
#include <gtest/gtest.h>
#include <ostream>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// A run over problems of which one fails.
KernelRun failing_run(const SharedKernel& kernel, const std::vector<Problem>& problems) {
  RunOptions options{.problems = problems};
  options.properties = {Registry<Property>::find("codes_bound")};
  KernelRun run = examine(kernel, options);
  EXPECT_FALSE(run.failures.empty());
  return run;
}

/// The declaration with which the kernel would pass; empty if none is named.
std::string would_pass(const SharedKernel& kernel, const std::vector<Problem>& problems) {
  const KernelRun run = failing_run(kernel, problems);
  return run.would_pass ? run.would_pass->declares : "";
}

struct Claim {
  const char* name;
  const char* kernel;
  const char* declared;  ///< in place of what it does
  const char* truth;     ///< what it does
};

void PrintTo(const Claim& claim, std::ostream* out) { *out << claim.kernel << " as " << claim.declared; }

class OtherCodes : public testing::TestWithParam<Claim> {};

// slow: judges many problems
TEST_P(OtherCodes, AreTold) {
  const Claim& claim = GetParam();
  const SharedKernel own = make_kernel(claim.kernel);
  const auto claims = std::make_shared<const ChangedKernel>(declaring(*own, claim.declared));
  std::vector<Problem> problems;
  for (const char* line : {"shape=1x2x20x150x64 dtype=f16", "shape=1x1x40x70x64 dtype=f16 fill=few_valued",
                           "shape=1x1x130x20x64 dtype=bf16", "shape=1x1x130x150x128 dtype=bf16 fill=outliers",
                           "shape=1x1x300x20x64 dtype=f16 scale=4"})
    problems.push_back(parse_problem(line));
  EXPECT_EQ(would_pass(claims, problems), claim.truth);
}

constexpr Claim claims[] = {
    {"FewerKeysOfABlock", "sage_qk_int8_pv_fp16_triton", "score.key_codes.count=32",
     "score.key_codes.sharing=rows score.key_codes.count=64"},
    {"FewerQueriesOfABlock", "sage_qk_int8_pv_fp16_triton", "score.query_codes.count=64",
     "score.query_codes.sharing=rows score.query_codes.count=128"},
    {"AMeanThatIsNotRounded", "sage_qk_int8_pv_fp16_triton", "score.key_codes.centring=in_f32",
     "score.key_codes.centring=rounded"},
    {"RotatedQueries", "sage_qk_int8_pv_fp16_triton", "score.query_codes.rotated=yes", "score.query_codes.rotated=no"},
    {"RowsForThreads", "sage_qk_int8_pv_fp16_cuda", "score.key_codes.sharing=rows",
     "score.key_codes.sharing=key_thread score.key_codes.count=64"},
    {"AHeadForChannels", "sage_qk_int8_pv_fp8_cuda", "value.codes.sharing=head",
     "value.codes.sharing=channel value.codes.count=1"},
    {"TheWholeRangeOfE4m3", "sage_qk_int8_pv_fp8_cuda", "value.codes.rule=e4m3", "value.codes.rule=e4m3_small"},
    {"AFixedLargest", "coded_cache", "score.key_codes.fixed_largest=2", "score.key_codes.fixed_largest=0"},
    {"EightBitsForFour", "sage2_int4", "score.key_codes.rule=int8_thread", "score.key_codes.rule=int4_thread"},
    {"MeansOfFewerRows", "sage2_int4", "score.query_codes.mean_rows=64", "score.query_codes.mean_rows=128"},
};

INSTANTIATE_TEST_SUITE_P(Each, OtherCodes, testing::ValuesIn(claims), by_parameter);

std::string would_pass_of_mutant(const char* name) {
  const Mutant& mutant = *Registry<Mutant>::find(name);
  return would_pass(mutant.kernel(), {parse_problem(mutant.problem)});
}

// slow: judges many problems
TEST(OtherCodesOfMutants, AreTold) {
  EXPECT_EQ(would_pass_of_mutant("key_blocks_of_128"), "score.key_codes.sharing=rows score.key_codes.count=128");
  EXPECT_EQ(would_pass_of_mutant("varlen_mean_of_each_sequence"), "score.key_codes.mean_of_batch=no");
  EXPECT_EQ(would_pass_of_mutant("value_mean_of_real_rows"), "value.codes.mean_padding=1");
  EXPECT_EQ(would_pass_of_mutant("scale_of_128"),
            "score.query_codes.rule=int8_block_128 score.key_codes.rule=int8_block_128");
  EXPECT_EQ(would_pass_of_mutant("ties_to_even"),
            "score.query_codes.quotient_error=0x1p-21 score.key_codes.quotient_error=0x1p-21");
}

// slow: judges many problems
TEST(OtherCodesOfMutants, AreNotToldWhereOthersAreNone) {
  for (const char* name : {"rounds_toward_zero", "signed_maximum", "scale_of_previous_tile", "tail_keeps_its_mean",
                           "value_scales_wrap_at_64", "mean_missing_in_lse", "rescale_to_base_e", "diagonal_cut_short",
                           "blocks_of_a_flattened_head", "query_blocks_of_packed_heads", "value_mean_not_given_back",
                           "static_scale_wraps"})
    EXPECT_EQ(would_pass_of_mutant(name), "") << name;
}

/// The names of what explains it, on its own problem or another one.
std::string findings_of_mutant(const char* name, const char* problem = nullptr) {
  const Mutant& mutant = *Registry<Mutant>::find(name);
  const std::vector<Problem> problems{parse_problem(problem ? problem : std::string(mutant.problem))};
  std::string names;
  for (const Finding& finding : failing_run(mutant.kernel(), problems).findings) names += finding.name + " ";
  return names;
}

TEST(MissingMean, IsToldWhereLogSumExpLacksIt) {
  for (const char* problem :
       {"shape=1x1x2x4x4 dtype=f16 fill=channel_offset", "shape=2x4/2x5x20x8 dtype=f16 fill=channel_offset scale=0.3"})
    EXPECT_EQ(findings_of_mutant("mean_missing_in_lse", problem), "log_sum_exp:mean_missing ") << problem;
  for (const char* name : {"unrounded_mean_given_back", "mean_of_another_kv_head_given_back", "tail_keeps_its_mean"})
    EXPECT_EQ(findings_of_mutant(name), "") << name;
}

}  // namespace
}  // namespace attestone
