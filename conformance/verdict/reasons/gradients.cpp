// SPDX-License-Identifier: Apache-2.0
// Reasons: gradients.
#include "conformance/verdict/verdict.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

const Registration<Reason> registered[] = {
    Registration<Reason>(
        {"wrong-gradient", "an element of a gradient is further from the truth than the declared arithmetic allows",
         "delta and its format, the scale, the derivative of softcap, sums over the group of query heads"}),
    Registration<Reason>({"gradient-not-zero", "a gradient must be exactly 0 there, and is not",
                          "accumulators that are not cleared, padded rows, exponentials of rows without a key"}),
    Registration<Reason>({"gradient-not-linear", "the gradients for another dout are not those that linearity demands",
                          "a dout that is cached, or read through the wrong strides; absolute values"}),
    Registration<Reason>({"gradient-order", "gradients did not follow keys or sequences that changed places",
                          "offsets of sequences in the backward pass, and loops that end early"}),
    Registration<Reason>({"gradient-layout", "the same elements at other places in memory gave other gradients",
                          "strides of dout that are assumed instead of read, and of gradients that are written"}),
    Registration<Reason>(
        {"gradient-sum", "a sum of gradients that is known without attention is wrong",
         "rows or keys that the backward pass leaves out or counts twice, and the weights that it recomputes"}),
};

}  // namespace
}  // namespace attestone::inline conformance
