// SPDX-License-Identifier: Apache-2.0
// Reasons: numbers that rounding does not explain.
#include "conformance/verdict/verdict.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

const Registration<Reason> registered[] = {
    Registration<Reason>(
        {"wrong-number", "an element is further from the certified truth than the kernel's declared arithmetic allows",
         "the worst element's place: first row or last row, tile edge, tail, head; then the mask and the score terms"}),
    Registration<Reason>({"wrong-log-sum-exp", "O may be right, but log_sum_exp is not",
                          "its base (natural), the scale, whether the maximum was added back, and the score terms"}),
    Registration<Reason>({"wrong-max-logits", "the largest score of a row is not that of the keys that it sees",
                          "which keys it is taken of (no hidden ones, no sink), its beginning (-inf), and whether it "
                          "has its scale, softcap and bias; its units (natural)"}),
    Registration<Reason>(
        {"wrong-non-finite", "NaN or an infinity where the truth has none, or none where the truth has one",
         "empty rows, -inf minus -inf, 0 times NaN, exponentials without the maximum, narrow formats that overflow"}),
    Registration<Reason>(
        {"wrong-gain", "every element is within its bound, but all of them lean the same way",
         "a factor on the whole tensor: the scale of dropout, a denominator that is too large or too small"}),
    Registration<Reason>({"leans",
                          "every problem is within its bounds, but over the run their errors lean one way: further "
                          "than rounding comes in "
                          "1 of 10^9 runs",
                          "a factor or an offset of a fraction of the last place: stores that truncate, a constant "
                          "that was rounded to a "
                          "narrow format, a sum that loses its last addends"}),
    Registration<Reason>(
        {"biased", "errors that should go either way lean to one side, which training adds up",
         "sums that are rounded before small terms join them, and casts that cut bits off instead of rounding"}),
    Registration<Reason>({"not-exact", "the answer needs no tolerance on these inputs, and is not the exact one",
                          "the denominator, keys that are counted twice or not at all, the choice of the kv head"}),
    Registration<Reason>({"wrong-key", "a row answered with another key than the one that wins by far",
                          "which kv head, sequence and row an index means; types that are too narrow for it"}),
    Registration<Reason>(
        {"wrong-mask", "a hidden key has weight, or a visible one has none",
         "the mask at the edges of tiles, and hidden scores that are large negative numbers instead of -inf"}),
    Registration<Reason>({"empty-row", "a query that sees no key must answer exactly 0, with log_sum_exp = -inf",
                          "division by a zero denominator, and exp(-inf + inf)"}),
    Registration<Reason>(
        {"dropout-pairs", "a pair is dropped that the seed keeps, or the reverse",
         "the counter and the key of the random numbers, the threshold, and whether both passes use the same"}),
};

}  // namespace
}  // namespace attestone::inline conformance
