// SPDX-License-Identifier: Apache-2.0
// What the judges of serving libraries and of benchmarks say of whole kernels: rulings that can be foreseen.
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "conformance/kill_matrix/correct_kernels.hpp"
#include "conformance/kill_matrix/courtroom.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

using Names = std::vector<std::string_view>;

const Names names{"flashinfer", "kernel_bench_0_2", "magi_attention", "sglang", "sol_exec_bench"};

template <class Entry>
std::vector<const Entry*> entries(const Names& chosen) {
  std::vector<const Entry*> all;
  for (const std::string_view name : chosen) all.push_back(Registry<Entry>::find(name));
  return all;
}

const Courtroom& court() {
  static const Courtroom all(entries<Judge>(names),
                             entries<Mutant>({"alibi_sign", "kv_head_modulo", "lost_tail", "log_sum_exp_base_2",
                                              "query_gradient_zero", "scale_twice"}));
  return all;
}

/// The judges that convict a mutant on the inputs that their projects test.
Names convicted_on_usual_inputs(std::string_view mutant) {
  const std::vector<Conviction> convictions = court().rule_on(*Registry<Mutant>::find(mutant));
  Names all;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (convictions[j].on_usual_inputs == Ruling::convicted) all.push_back(names[j]);
  return all;
}

TEST(JudgeRulings, OfScalesAreUnanimous) { EXPECT_EQ(convicted_on_usual_inputs("scale_twice"), names); }

TEST(JudgeRulings, OfGroupsComeFromThoseThatTryGroups) {
  EXPECT_EQ(convicted_on_usual_inputs("kv_head_modulo"),
            (Names{"flashinfer", "magi_attention", "sglang", "sol_exec_bench"}));
}

// SGLang's and KernelBench's look at O alone.
TEST(JudgeRulings, OfLogSumExpComeFromThoseThatLookAtIt) {
  EXPECT_EQ(convicted_on_usual_inputs("log_sum_exp_base_2"), (Names{"flashinfer", "magi_attention", "sol_exec_bench"}));
}

TEST(JudgeRulings, OfGradientsComeFromMagiAttentionAlone) {
  EXPECT_EQ(convicted_on_usual_inputs("query_gradient_zero"), (Names{"magi_attention"}));
}

// Lengths that are no multiple of 16: KernelBench's is 128, MagiAttention's are 128 and 256.
TEST(JudgeRulings, OfTailsComeFromThoseThatTryThem) {
  EXPECT_EQ(convicted_on_usual_inputs("lost_tail"), (Names{"flashinfer", "sglang", "sol_exec_bench"}));
}

TEST(JudgeRulings, OfAlibiComeFromFlashinferAlone) {
  EXPECT_EQ(convicted_on_usual_inputs("alibi_sign"), (Names{"flashinfer"}));
}

TEST(JudgeRulings, AcquitCorrectKernelsOnUsualInputs) {
  index cases = 0;
  for (const SharedKernel& kernel : correct_kernels()) {
    const CorrectRow row = court().rule_on(*kernel);
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
