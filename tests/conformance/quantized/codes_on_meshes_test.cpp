// SPDX-License-Identifier: Apache-2.0
// Kernels of codes as what each device runs: where it holds whole sequences their answers are those of one device, and
// where it holds a part of them they are judged by the codes of that.
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "simulate/world/mesh_kernel.hpp"
#include "tests/contains.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

SharedKernel on_mesh(std::string_view method, std::string_view mesh, std::string_view local) {
  Scanner in(mesh);
  return std::make_shared<MeshKernel>(make_rank_program(method), make_kernel(local), read_mesh(in));
}

// slow: judges many problems
TEST(CodesOnMeshes, AreThoseOfOneDeviceWhereHeadsAreDealt) {
  for (const char* local : {"sage_qk_int8_pv_fp8_cuda", "sage2_int4", "flash3_fp8"})
    for (const char* line : {"shape=2x4/2x70x70x32 dtype=f16 mask=causal", "shape=1x4/2x20x150x32 dtype=bf16"}) {
      const Problem problem = parse_problem(line);
      const SharedKernel alone = make_kernel(local), dealt = on_mesh("ulysses", "ulysses:2", local);
      ASSERT_TRUE(dealt->takes(problem)) << dealt->takes(problem).why;
      Trial whole(*alone, problem), parts(*dealt, problem);
      EXPECT_TRUE(whole.answer().outputs.out.same_bytes(parts.answer().outputs.out)) << local << " " << line;
      EXPECT_TRUE(whole.answer().outputs.log_sum_exp.same_bytes(parts.answer().outputs.log_sum_exp)) << local;
      RunOptions options{.problems = {problem}, .explain = false};
      options.properties = {Registry<Property>::find("codes_bound"), Registry<Property>::find("value_bound")};
      const KernelRun run = examine(dealt, options);
      EXPECT_TRUE(run.failures.empty()) << local << ": " << run.failures.front().verdict.evidence;
      EXPECT_EQ(dealt->conventions(), alone->conventions());
    }
}

/// Each device makes codes of its own rows: other ones than one device makes of all, and known all the same. In CI a
/// third of the methods.
// slow: judges many problems
TEST(CodesOnMeshes, AreThoseOfEachShard) {
  struct Shards {
    const char *method, *mesh, *local;
  };
  const std::uint64_t drawn = seed() % 3;
  std::uint64_t number = 0;
  for (const auto& [method, mesh, local] : {Shards{"ring:parts=output", "ring:2", "sage_qk_int8_pv_fp8_cuda"},
                                            {"ring:parts=output", "ring:3", "sage_qk_int8_pv_fp16_triton"},
                                            {"ring:parts=output", "ring:4", "flash3_fp8"},
                                            {"ring:parts=output", "ring:2", "sage2_int4"},
                                            {"ring:hops=all:parts=output", "ring:2", "coded_cache"},
                                            {"ring:hops=first:parts=output", "ring:3", "sage_qk_int8_pv_fp16_cuda"},
                                            {"two_dimensional:parts=output", "ulysses:2+ring:2", "sage"}}) {
    if (effort(number++ % 3 != drawn, false)) continue;
    const SharedKernel alone = make_kernel(local), shared = on_mesh(method, mesh, local);
    std::vector<Problem> problems;
    for (const char* line : {"shape=1x2x64x96x64 dtype=f16", "shape=2x4/2x20x152x32 dtype=bf16 fill=channel_offset",
                             "shape=1x2x40x40x64 dtype=f16 fill=outliers scale=1",
                             "shape=1x2x24x36x16 dtype=bf16 fill=nonfinite", "shape=1x2x88x88x64 dtype=f16 mask=causal",
                             "shape=2x4/2x72x72x32 dtype=bf16 fill=channel_offset mask=causal"}) {
      problems.push_back(parse_problem(line));
      const Support support = shared->takes(problems.back());
      ASSERT_TRUE(support) << method << " " << local << ": " << support.why;
      if (problems.back().fill.name == "nonfinite") continue;  // NaN, however it is coded
      Trial whole(*alone, problems.back()), parts(*shared, problems.back());
      EXPECT_FALSE(whole.answer().outputs.out.same_bytes(parts.answer().outputs.out)) << local << " " << line;
    }
    const KernelRun run = examine(shared, {.problems = problems, .explain = false});
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << method << " " << local << " " << failure.property->name << ": " << failure.first.text() << " "
                    << failure.verdict.evidence;
    RunOptions options{.problems = problems, .explain = false};
    options.properties = {Registry<Property>::find("codes_bound")};
    EXPECT_GE(examine(shared, options).counts.at(Outcome::passed), 5) << local;
    // As one device would make them, they are not.
    const char* as_one = "score.query_codes.parts=1 score.key_codes.parts=1 value.codes.parts=1";
    EXPECT_FALSE(examine(std::make_shared<const ChangedKernel>(declaring(*shared, as_one)), options).failures.empty())
        << method << " " << local;
  }
}

/// Parts are merged by a log_sum_exp that is no better than a device's own, and whose product with a mean may vanish.
TEST(CodesOnMeshes, DeclareWhatTheirPartsDo) {
  const Problem problem = parse_problem("shape=1x2x64x96x64 dtype=f16 scale=2");
  const Numerics alone = make_kernel("sage_qk_int8_pv_fp16_cuda")->numerics(problem);
  const Numerics shared = on_mesh("ring:parts=output", "ring:3", "sage_qk_int8_pv_fp16_cuda")->numerics(problem);
  EXPECT_EQ(shared.score.query_codes.parts, 3);
  EXPECT_EQ(shared.score.key_codes.parts, 3);
  EXPECT_EQ(shared.value.codes.parts, 3);
  EXPECT_EQ(shared.merge.log_error, alone.output.log_error);
  EXPECT_EQ(shared.merge.log_sum_exp_roundoff, alone.output.log_sum_exp_roundoff);
  EXPECT_EQ(shared.score.stored.underflow, alone.score.stored.underflow + 2 * alone.score.mean_product.underflow);
}

TEST(CodesOnMeshes, OfOtherRowsAreRefused) {
  struct Refused {
    const char *method, *mesh, *local, *problem, *why;
  };
  const char *full = "shape=1x2x64x64x64 dtype=f16", *causal = "shape=1x2x64x64x64 dtype=f16 mask=causal",
             *fp8 = "sage_qk_int8_pv_fp8_cuda";
  for (const auto& [method, mesh, local, problem, why] :
       {Refused{"ring:parts=output:placement=zigzag", "ring:2", fp8, full, "no neighbouring rows"},
        {"ring:parts=output:payload=int8", "ring:2", fp8, full, "no neighbouring rows"},
        {"ring_bidirectional:parts=output", "ring:2", fp8, full, "no neighbouring rows"},
        {"ring:parts=output:placement=zigzag", "ring:2", fp8, causal, "knows no mask but causal"},
        {"ring:parts=output:placement=zigzag", "ring:2", "coded_cache", causal, "knows no mask but causal"},
        {"ring:parts=output:hops=to_both_ends", "ring:2", fp8, full, "knows no mask but causal"},
        {"ring:parts=output", "ring:2", "sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1", full, "holds from V"},
        {"two_dimensional:parts=output", "ulysses:2+ring:2", "flash3_fp8", "shape=1x2x66x66x64 dtype=f16",
         "differ by more than a row"},
        {"ring", "ring:2", fp8, full, "writes O in the format of Q"},
        {"ring:parts=output", "ring:2", "sage_varlen", full, "conventions of its own"},
        {"ulysses", "ulysses:2", "sage3_fp4", full, "conventions of its own"}}) {
    const Support support = on_mesh(method, mesh, local)->takes(parse_problem(problem));
    EXPECT_FALSE(support) << method << " " << local;
    EXPECT_TRUE(contains(support.why, why)) << support.why;
  }
}

}  // namespace
}  // namespace attestone
