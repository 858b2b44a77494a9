// SPDX-License-Identifier: Apache-2.0
// What the judges of serving libraries and of benchmarks say of whole kernels: rulings that can be foreseen.
#include <algorithm>
#include <gtest/gtest.h>

#include "conformance/kill_matrix/correct_kernels.hpp"
#include "conformance/kill_matrix/courtroom.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const std::vector<std::string_view> names{"flashinfer", "kernel_bench_0_2", "magi_attention", "sglang",
                                          "sol_exec_bench"};

std::vector<const Judge*> judges() {
  std::vector<const Judge*> all;
  for (const std::string_view name : names) all.push_back(Registry<Judge>::find(name));
  return all;
}

/// The judges that say `ruling` of a mutant on the inputs that their projects test.
std::vector<std::string_view> on_usual_inputs(const char* name, Ruling ruling = Ruling::convicted) {
  const Mutant& mutant = *Registry<Mutant>::find(name);
  const std::vector<Conviction> convictions = Courtroom(judges(), {&mutant}).rule_on(mutant);
  std::vector<std::string_view> all;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (convictions[j].on_usual_inputs == ruling) all.push_back(names[j]);
  return all;
}

using Names = std::vector<std::string_view>;

TEST(JudgeRulings, OfScalesAreUnanimous) { EXPECT_EQ(on_usual_inputs("scale_twice"), names); }

TEST(JudgeRulings, OfGroupsComeFromThoseThatTryGroups) {
  EXPECT_EQ(on_usual_inputs("kv_head_modulo"), (Names{"flashinfer", "magi_attention", "sglang", "sol_exec_bench"}));
}

// SGLang's and KernelBench's look at O alone.
TEST(JudgeRulings, OfLogSumExpComeFromThoseThatLookAtIt) {
  EXPECT_EQ(on_usual_inputs("log_sum_exp_base_2"), (Names{"flashinfer", "magi_attention", "sol_exec_bench"}));
}

TEST(JudgeRulings, OfGradientsComeFromMagiAttentionAlone) {
  EXPECT_EQ(on_usual_inputs("query_gradient_zero"), (Names{"magi_attention"}));
}

// Lengths that are no multiple of 16: KernelBench's is 128, MagiAttention's are 128 and 256.
TEST(JudgeRulings, OfTailsComeFromThoseThatTryThem) {
  EXPECT_EQ(on_usual_inputs("lost_tail"), (Names{"flashinfer", "sglang", "sol_exec_bench"}));
}

TEST(JudgeRulings, OfAlibiComeFromFlashinferAlone) { EXPECT_EQ(on_usual_inputs("alibi_sign"), (Names{"flashinfer"})); }

TEST(JudgeRulings, AcquitCorrectKernelsOnUsualInputs) {
  const Courtroom court(judges(), {});
  index cases = 0;
  for (const SharedKernel& kernel : correct_kernels()) {
    const CorrectRow row = court.rule_on(*kernel);
    for (std::size_t j = 0; j < names.size(); ++j) {
      const FalseAlarms& said = row.on_usual_inputs[j];
      EXPECT_EQ(said.alarms, 0) << names[j] << " of " << row.kernel << ": " << said.first;
      cases += said.cases;
    }
  }
  EXPECT_GT(cases, 1000);
}

}  // namespace
}  // namespace attestone
