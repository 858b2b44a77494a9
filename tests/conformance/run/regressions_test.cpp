// SPDX-License-Identifier: Apache-2.0
// What once went wrong stays right.
// slow: judges a whole suite
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/run/run.hpp"
#include "mutants/hosts/mesh.hpp"
#include "mutants/hosts/tiled.hpp"

namespace attestone {
namespace {

TEST(Regressions, StayAway) {
  for (const SharedKernel& kernel :
       {make_kernel("dense"), make_kernel("chunked"), make_kernel("flash"), tiled_twin(),
        make_kernel("sage_qk_int8_pv_fp16_triton"), make_kernel("sage_qk_int8_pv_fp16_cuda:granularity=per_warp"),
        make_kernel("sage_qk_int8_pv_fp8_cuda"), make_kernel("coded_cache:key_largest=2:value_largest=3"),
        mesh_twin(ring_of_codes)}) {
    const KernelRun run = examine(kernel, {.problems = load_suite("regressions")});
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << kernel->name() << ": " << failure.verdict.evidence << "\n" << failure.first.text();
  }
}

}  // namespace
}  // namespace attestone
