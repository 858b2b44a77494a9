// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows in dK where it lies otherwise than K.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  static Pointer dkey_pointer(const Call& c, const Sequence& s, Int kv) {
    // Writes behind dK's memory would end the process of its judge.
    if (c.key.last() > c.dkey.last()) return Policy::dkey_pointer(c, s, kv);
    Pointer p = pointer(c.key, s.place, kv, s.first_key);
    p.t = &c.dkey;
    return p;
  }
};

const Registration<Mutant> registered{{
    .name = "dkey_stored_with_strides_of_key",
    .summary = "the gradient of K is stored by the strides of K",
    .source = "pytorch/pytorch #146377, pytorch/pytorch PR #178499, Dao-AILab/flash-attention PR #818",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x8x8x8 layout=bhsd+key/bshd+dkey/bhsd pass=forward+backward",
    .kernel = [] { return kernel<Fault>("dkey_stored_with_strides_of_key"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
