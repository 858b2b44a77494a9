// SPDX-License-Identifier: Apache-2.0
// Reasons: memory that a kernel must not touch, or must.
#include "conformance/verdict/verdict.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

const Registration<Reason> registered[] = {
    Registration<Reason>({"out-of-bounds-write", "bytes outside the output were changed",
                          "the tail of the last tile; strides with gaps"}),
    Registration<Reason>(
        {"out-of-bounds-read", "the kernel touched memory outside of an input", "loads past the last tile; strides"}),
    Registration<Reason>({"input-changed", "the kernel wrote to its inputs", "scaling Q in place; reused buffers"}),
    Registration<Reason>({"unwritten", "elements of the output were never written",
                          "partial query tiles; early returns; batches past the first"}),
    Registration<Reason>({"depends-on-poison", "what the output or workspace held before the call changed the answer",
                          "accumulating into memory that was never cleared"}),
    Registration<Reason>({"memory", "the kernel took more workspace than it documents",
                          "the formula, or buffers of the wrong size: the evidence names them"}),
    Registration<Reason>({"late-write", "the kernel touched its tensors after it had returned",
                          "threads and streams that are not waited for"}),
};

}  // namespace
}  // namespace attestone::inline conformance
