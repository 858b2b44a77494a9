// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows in dbias with score=bias:key, more than 16 queries or more than one head.
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
  void add_dbias(const Call& c, float& sum, float x, bool first_of_tile) override {
    const bool repeats = c.dbias.extent[2] == 1 && c.a.queries > 1;
    sum = repeats && first_of_tile ? x : sum + x;
  }
};

const Registration<Mutant> registered{{
    .name = "dbias_of_key_bias_keeps_last_query_tile",
    .summary = "the gradient of a bias without a query axis is stored by each tile of queries, not added to what "
               "earlier tiles sent",
    .source = "NVIDIA/TransformerEngine #2537",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x1x40x16x16 score=bias:key pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dbias_of_key_bias_keeps_last_query_tile"); },
    .twin = right_tiled_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
