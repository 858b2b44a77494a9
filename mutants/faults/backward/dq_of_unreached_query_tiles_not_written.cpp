// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows in dQ where 16 queries in a row see nothing: causal with queries > keys,
// lengths of 0, documents, empty rows.
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/hosts/second_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public TwoPassBackward {
 protected:
  bool writes_unreached_tiles() const override { return false; }
};

const Registration<Mutant> registered{{
    .name = "dq_of_unreached_query_tiles_not_written",
    .summary =
        "a tile of queries that no tile of keys reaches is skipped as a whole, and its dQ keeps what lay in the memory",
    .source = "Dao-AILab/flash-attention #2568",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x48x16x16 mask=causal pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dq_of_unreached_query_tiles_not_written"); },
    .twin = right_tiled_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
