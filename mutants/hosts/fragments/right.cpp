// SPDX-License-Identifier: Apache-2.0
// The hosts of this room without a fault.
#include "mutants/hosts/fragments/right.hpp"

#include "mutants/hosts/fragments/cascade.hpp"
#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/fragments.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/hosts/fragments/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {

SharedKernel right_cascade_expanded() { return kernel<Cascade, Expanded>("right_cascade_expanded"); }
SharedKernel right_cascade_stored() { return kernel<Cascade, Stored>("right_cascade_stored"); }
SharedKernel right_fragments_expanded() { return kernel<Fragments, Expanded>("right_fragments_expanded"); }
SharedKernel right_fragments_stored() { return kernel<Fragments, Stored>("right_fragments_stored"); }
SharedKernel right_stream_expanded() { return kernel<Stream, Expanded>("right_stream_expanded"); }
SharedKernel right_stream_stored() { return kernel<Stream, Stored>("right_stream_stored"); }

namespace {

const Registration<Twin> cascade_expanded{{.name = "right_cascade_expanded",
                                           .summary = "a cached prefix in chunks and a suffix, normalised and merged; "
                                                      "gradients of each query head, summed over its group at the end",
                                           .batch = "fourth",
                                           .kernel = right_cascade_expanded}};
const Registration<Twin> cascade_stored{
    {.name = "right_cascade_stored",
     .summary =
         "a cached prefix in chunks and a suffix, normalised and merged; P and dS stored transposed between two passes",
     .batch = "fourth",
     .kernel = right_cascade_stored}};
const Registration<Twin> fragments_expanded{
    {.name = "right_fragments_expanded",
     .summary = "a warp's fragments; gradients of each query head, summed over its group at the end",
     .batch = "fourth",
     .kernel = right_fragments_expanded}};
const Registration<Twin> fragments_stored{
    {.name = "right_fragments_stored",
     .summary = "a warp's fragments; P and dS stored transposed between two passes",
     .batch = "fourth",
     .kernel = right_fragments_stored}};
const Registration<Twin> stream_expanded{
    {.name = "right_stream_expanded",
     .summary = "stream-K with packed rows; gradients of each query head, summed over its group at the end",
     .batch = "fourth",
     .kernel = right_stream_expanded}};
const Registration<Twin> stream_stored{
    {.name = "right_stream_stored",
     .summary = "stream-K with packed rows; P and dS stored transposed between two passes",
     .batch = "fourth",
     .kernel = right_stream_stored}};

}  // namespace
}  // namespace attestone::inline mutants::fragments
