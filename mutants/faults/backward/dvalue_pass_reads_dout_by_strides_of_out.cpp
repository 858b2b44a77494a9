// SPDX-License-Identifier: Apache-2.0
// Mutant of the stored backward host: shows in dV alone where dO lies otherwise than O.
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stored {
  using Stored::Stored;

  Int dout_at(const Sequence& s, Int h, Int i) const override { return out.offset(s.place, h, s.first_query + i); }
};

const Registration<Mutant> registered{{
    .name = "dvalue_pass_reads_dout_by_strides_of_out",
    .summary = "the pass that makes dV finds the rows of dO by the strides of O; the pass before it goes by "
               "those of dO",
    .source = "ROCm/aotriton #236",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x16x16 layout=bhsd+dout/bshd pass=forward+backward",
    .kernel = [] { return kernel<Stream, Fault>("dvalue_pass_reads_dout_by_strides_of_out"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
