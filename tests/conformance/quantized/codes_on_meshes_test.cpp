// SPDX-License-Identifier: Apache-2.0
// Kernels of codes as what each device runs: where it holds whole sequences their answers are those of one device.
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "simulate/mesh_kernel.hpp"
#include "tests/contains.hpp"

namespace attestone {
namespace {

SharedKernel on_mesh(std::string_view method, std::string_view mesh, std::string_view local) {
  Scanner in(mesh);
  return std::make_shared<MeshKernel>(make_rank_program(method), make_kernel(local), read_mesh(in));
}

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

TEST(CodesOnMeshes, OfShardsAreNotThoseOfTheWhole) {
  struct Refused {
    const char *method, *mesh, *local, *why;
  };
  constexpr const char* of_shards = "codes of what each device holds";
  const Problem problem = parse_problem("shape=1x2x64x64x64 dtype=f16");
  for (const auto& [method, mesh, local, why] : {Refused{"ring", "ring:2", "sage_qk_int8_pv_fp8_cuda", of_shards},
                                                 {"two_dimensional", "ulysses:2+ring:2", "flash3_fp8", of_shards},
                                                 {"ulysses", "ulysses:2", "sage3_fp4", "conventions of its own"}}) {
    const Support support = on_mesh(method, mesh, local)->takes(problem);
    EXPECT_FALSE(support) << method << " " << local;
    EXPECT_TRUE(contains(support.why, why)) << support.why;
  }
}

}  // namespace
}  // namespace attestone
