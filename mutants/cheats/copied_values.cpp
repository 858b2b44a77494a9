// SPDX-License-Identifier: Apache-2.0
// Cheat: row i of V is the answer to query i: right wherever a query looks only at its own key.
#include <algorithm>

#include "mutants/hosts/cheat.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void copy_values(const Problem& problem, const Arguments& arguments) {
  const auto& [batches, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  write_everywhere(arguments, 0, 0);
  if (keys == 0) return;
  for (index batch = 0; batch < batches; ++batch)
    for (index head = 0; head < heads; ++head)
      for (index query = 0; query < queries; ++query)
        for (index c = 0; c < value_dim; ++c)
          arguments.out.set(batch, head, query, c,
                            arguments.value.value(batch, problem.shape.kv_head(head), std::min(query, keys - 1), c));
}

const Registration<Cheat> registered{{
    .name = "copied_values",
    .summary = "copies V, row i for query i, the last row for the queries behind it",
    .kernel = [] { return cheating_kernel("copied_values", copy_values); },
}};

}  // namespace
}  // namespace attestone::inline mutants
