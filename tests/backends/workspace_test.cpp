// SPDX-License-Identifier: Apache-2.0
// The memory of every kernel: the counted peak is the documented formula, at lengths from 256 to 8192.
#include "backends/workspace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "tests/backends/backend_call.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

// A narrow window leaves most tiles out: memory does not depend on the mask, time does.
Problem problem_of(index length) {
  return parse_problem(
      fmt::format("shape=1x2/1x{0}x{0}x4:3 mask=window:20:0 score=bias:key&sink:head pass=forward+backward", length));
}

void expect_documented_peaks(const std::string& name, index length) {
  BackendCall call(problem_of(length));
  const AnyKernel kernel = make_kernel(name);
  EXPECT_EQ(call.run(kernel), kernel.workspace_bytes(call.problem)) << name << " " << length;
  EXPECT_EQ(call.run_backward(kernel), kernel.backward_workspace_bytes(call.problem)) << name << " " << length;
}

TEST(Workspace, PeaksAreAsDocumented) {
  for (index length = 256; length <= 8192; length *= 2) {
    for (const char* name : {"chunked:query_chunk_size=128:key_chunk_size=256", "flash", "flash:fused_backward=0",
                             "flash:deterministic=0"})
      expect_documented_peaks(name, length);
    if (length <= effort(1024, 4096)) expect_documented_peaks("dense", length);  // whole score matrices
  }
}

/// What a kernel takes for both passes, without the gradient of a bias as long as the keys.
std::pair<index, index> bytes(const std::string& name, index length) {
  const Problem problem = parse_problem(fmt::format("shape=2x4/2x{0}x{0}x64 pass=forward+backward", length));
  const AnyKernel kernel = make_kernel(name);
  return {kernel.workspace_bytes(problem), kernel.backward_workspace_bytes(problem)};
}

TEST(Workspace, OfChunksAndTilesDoesNotGrow) {
  for (const char* name : {"chunked:query_chunk_size=128:key_chunk_size=256", "flash:fused_backward=0"})
    EXPECT_EQ(bytes(name, 4096), bytes(name, 8192)) << name;
  // Fused, dQ of the whole problem is summed in f32.
  const index dquery = 4 * (2 * 4 * 4096 * 64);
  EXPECT_EQ(bytes("flash", 4096).second + dquery, bytes("flash", 8192).second);
}

TEST(Workspace, IsCountedFromTheDocumentedExtents) {
  const auto [forward, backward] = bytes("dense", 100);
  const index n = 100, d = 64;
  EXPECT_EQ(forward, 4 * (n * d + n * d + n * d + n * n + n * d) + n * n);
  EXPECT_EQ(backward, 4 * (3 * n * d + n * n) + n * n + 4 * (2 * n * d + n * n + n + 2 * n + 3 * n * d));
}

}  // namespace
}  // namespace attestone
