// SPDX-License-Identifier: Apache-2.0
// Mutant of the row host with a cache: shows from the second call of a shape on, with other keys.
#include <map>
#include <memory>
#include <vector>

#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/row_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : CachePlaces {
  using Table = std::map<std::vector<index>, Row>;
  std::shared_ptr<Table> table = std::make_shared<Table>();

  Row key_scales(const attestone_args& a, index head, const Row& made) const {
    return table->try_emplace({a.batch, a.kv_heads, a.keys, a.dim, head}, made).first->second;
  }
};

const Registration<Mutant> registered{{
    .name = "scales_of_former_call",
    .summary = "scales of K stay in a table from the first call of a shape on; later calls make codes anew, and read "
               "old scales",
    .property = "head_order_irrelevant",
    .reason = "head-order",
    .problem = "shape=1x2x4x8x4 dtype=f16",
    .kernel = [] { return kernel<Attention<Cache<Fault>>>("scales_of_former_call", Fault()); },
    .twin = right_cached_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
