// SPDX-License-Identifier: Apache-2.0
// Mutant: of two keys that tie for the maximum only one is counted.
#include <algorithm>
#include <limits>
#include <vector>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// How many visible keys have the largest q.k of a row.
index leaders(const Problem& problem, const Arguments& arguments, const VisiblePairs& visible, Pair at) {
  const index kv_head = problem.shape.kv_head(at.head);
  double largest = -std::numeric_limits<double>::infinity();
  index count = 0;
  for (at.key = 0; at.key < problem.shape.keys; ++at.key) {
    if (!visible(at)) continue;
    double product = 0;
    for (index c = 0; c < problem.shape.dim; ++c)
      product +=
          arguments.query.value(at.batch, at.head, at.query, c) * arguments.key.value(at.batch, kv_head, at.key, c);
    if (product > largest) largest = product, count = 0;
    count += product == largest ? 1 : 0;
  }
  return count;
}

void forward(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const VisiblePairs visible(problem);
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < arguments.out.rows(b); ++i) {
        if (leaders(problem, arguments, visible, {b, h, i, 0}) != 2) continue;
        for (index c = 0; c < problem.shape.value_dim; ++c)
          arguments.out.set(b, h, i, c, 0.75 * arguments.out.value(b, h, i, c));
      }
}

const Registration<Mutant> registered{{
    .name = "equal_maxima_lose_one",
    .summary = "where exactly two keys of a row tie for the maximum, O loses a quarter",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=100x1x2x8x4 dtype=bf16 fill=few_valued",
    .kernel = [] { return tampered_kernel("equal_maxima_lose_one", forward); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
