// SPDX-License-Identifier: Apache-2.0
// Mutant: rows are dealt to threads by a division that gives 0.
#include <omp.h>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// What the first row of queries held before the call stays, where every thread has rows / threads = 0 of them.
void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const View& out = arguments.out;
  const index rows = out.exists() ? out.rows(0) : 0;
  const bool left_out = rows > 0 && rows < omp_get_max_threads();
  std::vector<std::uint64_t> before;
  for (index c = 0; left_out && c < problem.shape.value_dim; ++c) before.push_back(out.code(0, 0, 0, c));
  honest.forward(problem, arguments, device);
  for (index c = 0; c < std::ssize(before); ++c) out.set_code(0, 0, 0, c, before[static_cast<std::size_t>(c)]);
}

const Registration<Mutant> registered{{
    .name = "idle_threads_leave_rows_out",
    .summary = "gives each thread rows / threads of the rows, rounded down: none where there are more threads",
    .property = "guards",
    .reason = "unwritten",
    .problem = "shape=1x1x2x1x1 threads=3",
    .kernel = [] { return tampered_kernel("idle_threads_leave_rows_out", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
