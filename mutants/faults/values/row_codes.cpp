// SPDX-License-Identifier: Apache-2.0
// Scales of K that stay from an earlier call.
#include "mutants/hosts/coded_blocks/row_codes.hpp"

#include <map>
#include <memory>
#include <vector>

#include "mutants/hosts/coded_blocks/kernel.hpp"
#include "mutants/hosts/coded_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_blocks {
namespace {

/// Shows from the second call of a shape on, with other keys.
struct ScalesOfFormerCall : CachePlaces {
  using Table = std::map<std::vector<index>, Row>;
  std::shared_ptr<Table> table = std::make_shared<Table>();

  Row key_scales(const attestone_args& a, index head, const Row& made) const {
    return table->try_emplace({a.batch, a.kv_heads, a.keys, a.dim, head}, made).first->second;
  }
};

const Registrations<Mutant> registered{
    {.name = "scales_of_former_call",
     .summary = "scales of K stay in a table from the first call of a shape on; later calls make codes anew, and read "
                "old scales",
     .property = "head_order_irrelevant",
     .reason = "head-order",
     .problem = "shape=1x2x4x8x4 dtype=f16",
     .batch = "sixth",
     .kernel =
         [] { return kernel<Attention<Cache<ScalesOfFormerCall>>>("scales_of_former_call", ScalesOfFormerCall()); },
     .twin = right_cached_kv},
};

}  // namespace
}  // namespace attestone::inline mutants::coded_blocks
