// SPDX-License-Identifier: Apache-2.0
// Reasons: two calls whose answers do not agree as they must.
#include "conformance/verdict/verdict.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

const Registration<Reason> registered[] = {
    Registration<Reason>(
        {"invisible-key", "the contents of keys that a row may not see changed that row",
         "0 * NaN: weights of 0 do not hide values, so select instead of multiplying; loads past the end of a tile"}),
    Registration<Reason>({"key-order", "the order of the keys changed the answer by more than rounding can",
                          "rescaling when the maximum rises, the first and the last tile"}),
    Registration<Reason>({"layout", "the same elements at other places in memory gave another answer",
                          "strides that are assumed instead of read, for K where V's belong, and expanded axes"}),
    Registration<Reason>({"grouping", "with a kv head of its own for every query head, the answer is another one",
                          "which kv head a query head reads; heads packed into rows"}),
    Registration<Reason>({"sequence-alone", "a sequence answers alone what it does not answer in its batch",
                          "offsets of sequences, and paths of their own for a batch of one or for full lengths"}),
    Registration<Reason>({"batch-order", "the order of the sequences in the batch changed an answer",
                          "offsets of sequences and of their lengths, and what is worked out for the first one only"}),
    Registration<Reason>({"head-order", "the order of the heads changed an answer",
                          "which kv head, bias and sink a head reads; what is worked out for the first head only"}),
    Registration<Reason>({"depends-on-wants",
                          "an answer is wrong where others are not asked for, and right beside them",
                          "what is computed inside the branch of another answer, and outputs by their place instead of "
                          "their name"}),
    Registration<Reason>({"row-leak", "what one query holds changed the row of another",
                          "a maximum or a decision that the rows of a tile share"}),
    Registration<Reason>(
        {"rows-alone", "some queries answer alone what they do not answer among the others",
         "the position of the first query, paths of their own for one query or few, tails of query tiles"}),
    Registration<Reason>({"prefix", "without the queries and keys that follow, the first ones answer something else",
                          "how a causal mask is aligned, and which tiles are skipped"}),
    Registration<Reason>({"padding", "keys behind the end of a sequence changed its answer",
                          "loops over the shape instead of the length, and tails of tiles that are weighed with 0"}),
    Registration<Reason>({"mask-form", "the same visible pairs, said in another way, gave another answer",
                          "paths of their own for known masks, biases of -inf, and rows without a key"}),
    Registration<Reason>({"neutral-term", "a term that must not matter changed the answer",
                          "sinks of -inf, biases without one of their axes, and what log_sum_exp counts"}),
    Registration<Reason>({"channels", "channels that were moved, negated, padded or left out changed the answer",
                          "strides and tails along dim and value_dim, and which of the two a loop runs over"}),
    Registration<Reason>({"schedule", "bits of a row followed what the kernel declares them to be independent of",
                          "sizes of tiles, numbers of parts, orders of sums and paths that are chosen by the extents"}),
    Registration<Reason>({"split", "two calls over parts of the keys do not merge into the call over all of them",
                          "log_sum_exp, on which merging depends, and paths of their own for few keys"}),
    Registration<Reason>({"keys-twice", "with a copy beside every key, O or log_sum_exp is not what it must be",
                          "the second tile: rescaling, the running maximum and sum, counters of keys"}),
    Registration<Reason>({"key-shift", "what all scores have in common changed O, or was lost in log_sum_exp",
                          "the maximum that is subtracted: where it starts, and whether it is added back"}),
    Registration<Reason>({"value-map", "an affine map of V is not the same map of O",
                          "weights that do not add up to 1, and decisions that look at the sign or size of values"}),
    Registration<Reason>({"power-of-two",
                          "a power of two moved between factors changed the answer by more than rounding can",
                          "constants that assume a size: cut-offs, clamps, epsilons, narrow intermediate formats"}),
    Registration<Reason>({"batch-leak", "what one sequence or head holds changed the answer of another",
                          "strides, head and batch offsets, shared scratch memory"}),
};

}  // namespace
}  // namespace attestone::inline conformance
