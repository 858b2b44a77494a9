// SPDX-License-Identifier: Apache-2.0
// How many queries there are beside the keys.
#include <algorithm>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  return {
      {"none", [](Problem& p, Draws&) { p.shape.queries = 0; }, [](const Problem& p) { return p.shape.queries == 0; },
       true},
      {"one", [](Problem& p, Draws&) { p.shape.queries = 1; }, [](const Problem& p) { return p.shape.queries == 1; }},
      {"few", [](Problem& p, Draws& draws) { p.shape.queries = draws.integer(2, 9); },
       [](const Problem& p) { return 2 <= p.shape.queries && p.shape.queries <= 9; }},
      {"as_keys", [](Problem& p, Draws&) { p.shape.queries = p.shape.keys; },
       [](const Problem& p) { return p.shape.queries >= 10 && p.shape.queries == p.shape.keys; }},
      {"fewer",
       [](Problem& p, Draws& draws) {
         p.shape.queries = draws.integer(10, std::max<index>(10, std::min<index>(p.shape.keys - 1, 150)));
       },
       [](const Problem& p) { return 10 <= p.shape.queries && p.shape.queries < std::min<index>(p.shape.keys, 257); }},
      {"tile_rows_of_more",
       [](Problem& p, Draws& draws) { p.shape.queries = draws.integer(257, std::max<index>(257, p.shape.keys - 1)); },
       [](const Problem& p) { return 257 <= p.shape.queries && p.shape.queries < p.shape.keys; }, false, true},
      {"more",
       [](Problem& p, Draws& draws) { p.shape.queries = std::max<index>(10, p.shape.keys + 1) + draws.integer(0, 90); },
       [](const Problem& p) { return p.shape.queries >= 10 && p.shape.queries > p.shape.keys; }}};
}

const Registration<Axis> registered{{
    .name = "queries",
    .aim = "decoding, chunks of prefill, diagonals that do not begin at a corner, rows that see nothing",
    .turn = 4,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
