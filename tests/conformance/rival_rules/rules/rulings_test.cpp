// SPDX-License-Identifier: Apache-2.0
// What the judges of serving libraries and of benchmarks say of whole kernels: rulings that can be foreseen.
// slow: asks every rule about every mutant
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "backends/catalogue.hpp"
#include "conformance/rival_rules/correct_kernels.hpp"
#include "conformance/rival_rules/courtroom.hpp"
#include "reference/registry.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

using Names = std::vector<std::string_view>;

const Names names{"flashinfer", "kernel_bench_0_2", "magi_attention", "sglang", "sol_exec_bench"};

std::vector<const Judge*> judges() {
  std::vector<const Judge*> all;
  for (const std::string_view name : names) all.push_back(Registry<Judge>::find(name));
  return all;
}

/// A mutant, and the judges that convict it on the inputs that their projects test.
struct Foreseen {
  std::string_view mutant;
  Names convicted_by;
};

TEST(JudgeRulings, CanBeForeseen) {
  const std::vector<Foreseen> all{
      {"scale_twice", names},
      // KernelBench tries one head.
      {"kv_head_modulo", {"flashinfer", "magi_attention", "sglang", "sol_exec_bench"}},
      // SGLang and KernelBench look at O alone.
      {"log_sum_exp_base_2", {"flashinfer", "magi_attention", "sol_exec_bench"}},
      {"query_gradient_zero", {"magi_attention"}},
      // KernelBench's lengths are 128, MagiAttention's 128 and 256 but for its documents, which this kernel refuses.
      {"lost_tail", {"flashinfer", "sglang", "sol_exec_bench"}},
      {"alibi_sign", {"flashinfer"}},
  };
  std::vector<const Mutant*> mutants;
  for (const Foreseen& one : all) mutants.push_back(Registry<Mutant>::find(one.mutant));
  const Courtroom court(judges(), mutants);
  for (std::size_t m = 0; m < all.size(); ++m) {
    const std::vector<Conviction> convictions = court.rule_on(*mutants[m]);
    Names convicted_by;
    for (std::size_t j = 0; j < names.size(); ++j)
      if (convictions[j].on_usual_inputs == Ruling::convicted) convicted_by.push_back(names[j]);
    EXPECT_EQ(convicted_by, all[m].convicted_by) << all[m].mutant;
  }
}

/// In CI one of them and a part of the others.
TEST(JudgeRulings, AcquitCorrectKernelsOnUsualInputs) {
  const Courtroom court(judges(), {});
  const OneIn part(12);
  index cases = 0;
  for (const SharedKernel& kernel : correct_kernels()) {
    if (kernel->name() != "flash" && !part.holds(kernel->name())) continue;
    const CorrectRow row = court.rule_on(*kernel);
    for (std::size_t j = 0; j < names.size(); ++j) {
      const FalseAlarms& said = row.on_usual_inputs[j];
      EXPECT_EQ(said.alarms, 0) << names[j] << " of " << row.kernel << ": " << said.first;
      cases += said.cases;
    }
  }
  EXPECT_GT(cases, part.is_all() ? 2000 : 50);
}

// A row that sees one key has dQ = 0. What f32 leaves of dP - delta there is further away than 1e-8, and one row in
// four is more than the rule forgives.
TEST(JudgeRulings, OfMagiAttentionAccuseRightKernelsWhereManyRowsSeeOneKey) {
  const Judge& judge = *Registry<Judge>::find("magi_attention");
  const SharedKernel flash = make_kernel("flash");
  const auto accepted = [&](const char* problem) {
    JudgedCase known(parse_problem(problem));
    known.add_baseline(judge.baseline);
    return known.accepted(judge, *answer_of(*flash, known));
  };
  EXPECT_TRUE(accepted("shape=1x1x64x64x64 dtype=f16 pass=forward+backward"));
  EXPECT_FALSE(accepted("shape=1x1x64x64x64 mask=causal&chunk:4 dtype=f16 pass=forward+backward"));
}

}  // namespace
}  // namespace attestone
