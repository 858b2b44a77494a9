// SPDX-License-Identifier: Apache-2.0
// Kernels that write where they must not, do not write, or take memory that they do not document.
#include <atomic>
#include <omp.h>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void scales_query_in_place(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const ConstView& q = arguments.query;
  const View writable(const_cast<std::byte*>(q.data()), q.dtype(), q.extents(), q.strides());
  const auto& [batches, heads, rows, channels] = q.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index i = 0; i < rows; ++i)
        for (index c = 0; c < channels; ++c) writable.set(b, h, i, c, q.value(b, h, i, c) * problem.scale());
}

void writes_past_end(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const auto& [batches, heads, rows, channels] = arguments.out.extents();
  if (problem.shape.rows() > 0) arguments.out.at(batches - 1, heads - 1, rows - 1, channels)[0] = std::byte{0};
}

void forgotten_buffer(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const auto copy = device.allocate<float>(problem.shape.queries * problem.shape.dim, "copy of the queries");
  honest.forward(problem, arguments, device);
}

void scratch_stride_of_128(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr index stride = 128, tile = TiledSteps::tile;
  const ConstView& right = arguments.key;
  const Tensor key = changed_copy(right, [&](double x, const Extents& at) {
    const index next = at[2] + at[3] / stride;
    const bool overwritten = at[3] >= stride && next / tile == at[2] / tile && next < right.rows(at[0]);
    return overwritten ? right.value(at[0], at[1], next, at[3] % stride) : x;
  });
  Arguments overlapping = arguments;
  overlapping.key = key.view();
  honest.forward(problem, overlapping, device);
}

/// Keeps what the first row of queries held before the call, where every thread has rows / threads = 0 rows.
void idle_threads_leave_rows_out(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                 Device& device) {
  const View& out = arguments.out;
  const index rows = out.exists() ? out.rows(0) : 0;
  const bool left_out = rows > 0 && rows < omp_get_max_threads();
  std::vector<std::uint64_t> before;
  for (index c = 0; left_out && c < problem.shape.value_dim; ++c) before.push_back(out.code(0, 0, 0, c));
  honest.forward(problem, arguments, device);
  for (index c = 0; c < std::ssize(before); ++c) out.set_code(0, 0, 0, c, before[static_cast<std::size_t>(c)]);
}

std::atomic<int> calls = 0;

void every_other_call(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.shape.rows() > 0 && calls++ % 2 == 1)
    arguments.out.set_code(0, 0, 0, 0, arguments.out.code(0, 0, 0, 0) ^ 1);
}

const Registrations<Mutant> registered{
    {.name = "scales_query_in_place",
     .summary = "multiplies the scale into Q, in the memory of the caller",
     .property = "guards",
     .reason = "input-changed",
     .problem = "shape=1x1x1x1x2",
     .kernel = [] { return tampered_kernel("scales_query_in_place", scales_query_in_place); },
     .twin = tiled_twin},
    {.name = "writes_past_end",
     .summary = "writes one byte after the last element of the output",
     .source = "Dao-AILab/flash-attention PR #1500",
     .property = "guards",
     .reason = "out-of-bounds-write",
     .problem = "shape=1x1x1x1x1",
     .kernel = [] { return tampered_kernel("writes_past_end", writes_past_end); },
     .twin = tiled_twin},
    {.name = "forgotten_buffer",
     .summary = "takes a copy of Q that its documented memory leaves out",
     .property = "guards",
     .reason = "memory",
     .problem = "shape=1x1x1x1x1",
     .kernel = [] { return tampered_kernel("forgotten_buffer", forgotten_buffer); },
     .twin = tiled_twin},
    {.name = "scratch_stride_of_128",
     .summary = "stores rows of K 128 floats apart, so that wider ones are overwritten by the next",
     .source = "gittensor-ai-lab/sparkinfer #425",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x3x130:1",
     .kernel = [] { return tampered_kernel("scratch_stride_of_128", scratch_stride_of_128); },
     .twin = tiled_twin},
    {.name = "idle_threads_leave_rows_out",
     .summary = "gives each thread rows / threads of the rows, rounded down: none where there are more threads",
     .property = "guards",
     .reason = "unwritten",
     .problem = "shape=1x1x2x1x1 threads=3",
     .kernel = [] { return tampered_kernel("idle_threads_leave_rows_out", idle_threads_leave_rows_out); },
     .twin = tiled_twin},
    {.name = "every_other_call",
     .summary = "flips a last bit in every second call, as a race on one scalar does",
     .source = "fla-org/flash-linear-attention #889",
     .property = "repeats_bitwise",
     .reason = "not-repeatable",
     .problem = "shape=1x1x1x1x1",
     .kernel = [] { return tampered_kernel("every_other_call", every_other_call); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
