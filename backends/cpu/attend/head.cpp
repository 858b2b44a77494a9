// SPDX-License-Identifier: Apache-2.0
// Setting up every head of a problem, and asking one what it sees.
#include "backends/cpu/attend/head.hpp"

namespace attestone::inline backends {

void AttendedHead::see(Interval queries, Interval keys, QuerySet* seen, float* biases) const {
  visible.see(queries, keys, seen);
  if (!scores.biased()) return;
  scores.read_biases(queries, keys, biases + keys.count() * panel_queries, biases);
  for (index i = 0; i < keys.count() * panel_queries; ++i)
    if (biases[i] == -std::numeric_limits<float>::infinity())
      seen[i / panel_queries] &= ~(QuerySet{1} << i % panel_queries);
}

std::vector<AttendedHead> attended_heads(const Problem& problem, const KernelInputs& inputs) {
  std::vector<AttendedHead> heads;
  heads.reserve(static_cast<std::size_t>(problem.shape.batch * problem.shape.heads));
  for (index batch = 0; batch < problem.shape.batch; ++batch)
    for (index head = 0; head < problem.shape.heads; ++head) heads.emplace_back(problem, inputs, batch, head);
  return heads;
}

}  // namespace attestone::inline backends
