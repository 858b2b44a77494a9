// SPDX-License-Identifier: Apache-2.0
// Mutant of the row host with a cache: shows with more than 64 keys.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/row_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : CachePlaces {
  static std::size_t value_token(std::size_t j) { return j % 64; }
};

const Registration<Mutant> registered{{
    .name = "value_scales_of_first_page",
    .summary = "scales of V are indexed by the place of a token in its page of 64, and the page is forgotten",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x66x4 dtype=f16",
    .kernel = [] { return kernel<Attention<Cache<Fault>>>("value_scales_of_first_page"); },
    .twin = right_cached_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
