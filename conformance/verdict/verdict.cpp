// SPDX-License-Identifier: Apache-2.0
// The words of verdicts.
#include "conformance/verdict/verdict.hpp"

#include <algorithm>

#include "reference/require.hpp"

namespace attestone {

std::string_view text(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "failed";
    case Outcome::skipped:
      return "skipped";
    case Outcome::inconclusive:
      return "inconclusive";
  }
  return {};
}

const std::vector<Reason>& reasons() {
  static const std::vector<Reason> all{
      {"wrong-number", "an element is further from the certified truth than the kernel's declared arithmetic allows",
       "the worst element's place: first row or last row, tile edge, tail, head; then the mask and the score terms"},
      {"wrong-log-sum-exp", "O may be right, but log_sum_exp is not",
       "its base (natural), the scale, whether the maximum was added back, and the score terms"},
      {"wrong-non-finite", "NaN or an infinity where the truth has none, or none where the truth has one",
       "empty rows, -inf minus -inf, 0 times NaN, exponentials without the maximum, narrow formats that overflow"},
      {"wrong-gain", "every element is within its bound, but all of them lean the same way",
       "a factor on the whole tensor: the scale of dropout, a denominator that is too large or too small"},
      {"wrong-gradient", "an element of a gradient is further from the truth than the declared arithmetic allows",
       "delta and its format, the scale, the derivative of softcap, sums over the group of query heads"},
      {"gradient-not-zero", "a gradient must be exactly 0 there, and is not",
       "accumulators that are not cleared, padded rows, exponentials of rows without a key"},
      {"gradient-not-linear", "the gradients for another dout are not those that linearity demands",
       "a dout that is cached, or read through the wrong strides; absolute values"},
      {"gradient-order", "gradients did not follow keys or sequences that changed places",
       "offsets of sequences in the backward pass, and loops that end early"},
      {"gradient-layout", "the same elements at other places in memory gave other gradients",
       "strides of dout that are assumed instead of read, and of gradients that are written"},
      {"gradient-sum", "a sum of gradients that is known without attention is wrong",
       "rows or keys that the backward pass leaves out or counts twice, and the weights that it recomputes"},
      {"dropout-pairs", "a pair is dropped that the seed keeps, or the reverse",
       "the counter and the key of the random numbers, the threshold, and whether both passes use the same"},
      {"not-exact", "the answer needs no tolerance on these inputs, and is not the exact one",
       "the denominator, keys that are counted twice or not at all, the choice of the kv head"},
      {"wrong-key", "a row answered with another key than the one that wins by far",
       "which kv head, sequence and row an index means; types that are too narrow for it"},
      {"wrong-mask", "a hidden key has weight, or a visible one has none",
       "the mask at the edges of tiles, and hidden scores that are large negative numbers instead of -inf"},
      {"empty-row", "a query that sees no key must answer exactly 0, with log_sum_exp = -inf",
       "division by a zero denominator, and exp(-inf + inf)"},
      {"invisible-key", "the contents of keys that a row may not see changed that row",
       "0 * NaN: weights of 0 do not hide values, so select instead of multiplying; loads past the end of a tile"},
      {"key-order", "the order of the keys changed the answer by more than rounding can",
       "rescaling when the maximum rises, the first and the last tile"},
      {"layout", "the same elements at other places in memory gave another answer",
       "strides that are assumed instead of read, for K where V's belong, and expanded axes"},
      {"grouping", "with a kv head of its own for every query head, the answer is another one",
       "which kv head a query head reads; heads packed into rows"},
      {"sequence-alone", "a sequence answers alone what it does not answer in its batch",
       "offsets of sequences, and paths of their own for a batch of one or for full lengths"},
      {"batch-order", "the order of the sequences in the batch changed an answer",
       "offsets of sequences and of their lengths, and what is worked out for the first one only"},
      {"head-order", "the order of the heads changed an answer",
       "which kv head, bias and sink a head reads; what is worked out for the first head only"},
      {"row-leak", "what one query holds changed the row of another",
       "a maximum or a decision that the rows of a tile share"},
      {"rows-alone", "some queries answer alone what they do not answer among the others",
       "the position of the first query, paths of their own for one query or few, tails of query tiles"},
      {"prefix", "without the queries and keys that follow, the first ones answer something else",
       "how a causal mask is aligned, and which tiles are skipped"},
      {"padding", "keys behind the end of a sequence changed its answer",
       "loops over the shape instead of the length, and tails of tiles that are weighed with 0"},
      {"mask-form", "the same visible pairs, said in another way, gave another answer",
       "paths of their own for known masks, biases of -inf, and rows without a key"},
      {"neutral-term", "a term that must not matter changed the answer",
       "sinks of -inf, biases without one of their axes, and what log_sum_exp counts"},
      {"channels", "channels that were moved, negated, padded or left out changed the answer",
       "strides and tails along dim and value_dim, and which of the two a loop runs over"},
      {"split", "two calls over parts of the keys do not merge into the call over all of them",
       "log_sum_exp, on which merging depends, and paths of their own for few keys"},
      {"keys-twice", "with a copy beside every key, O or log_sum_exp is not what it must be",
       "the second tile: rescaling, the running maximum and sum, counters of keys"},
      {"key-shift", "what all scores have in common changed O, or was lost in log_sum_exp",
       "the maximum that is subtracted: where it starts, and whether it is added back"},
      {"value-map", "an affine map of V is not the same map of O",
       "weights that do not add up to 1, and decisions that look at the sign or size of values"},
      {"power-of-two", "a power of two moved between factors changed the answer by more than rounding can",
       "constants that assume a size: cut-offs, clamps, epsilons, narrow intermediate formats"},
      {"biased", "errors that should go either way lean to one side, which training adds up",
       "sums that are rounded before small terms join them, and casts that cut bits off instead of rounding"},
      {"batch-leak", "what one sequence or head holds changed the answer of another",
       "strides, head and batch offsets, shared scratch memory"},
      {"out-of-bounds-write", "bytes outside the output were changed", "the tail of the last tile; strides with gaps"},
      {"input-changed", "the kernel wrote to its inputs", "scaling Q in place; reused buffers"},
      {"unwritten", "elements of the output were never written",
       "partial query tiles; early returns; batches past the first"},
      {"depends-on-poison", "what the output or workspace held before the call changed the answer",
       "accumulating into memory that was never cleared"},
      {"memory", "the kernel took more workspace than it documents",
       "the formula, or buffers of the wrong size: the evidence names them"},
      {"stale-answer", "the inputs changed, and the answer is the one of an earlier call",
       "results that are remembered by address, shape or seed"},
      {"not-repeatable", "the same call gave other bits", "races, atomics, uninitialised memory, thread counts"},
      {"crashed", "the kernel threw an exception, or its process was ended by a signal",
       "the message; the repro line under a debugger (follow-fork-mode child) or a sanitizer"},
      {"exited", "the kernel ended its process instead of returning", "calls of exit, and libraries that call it"},
      {"hung", "the kernel did not answer in time; the run ends here", "loops and locks; --timeout gives it longer"},
      {"too-much-memory", "the kernel's process grew beyond the limit; the run ends here",
       "allocations in the kernel, and what is never freed; --memory-limit allows more"},
      {"error-status", "the kernel answered that something went wrong", "its message"},
      {"refused-later",
       "the kernel refused a call that it had answered before: the same pass of the same problem on the same inputs",
       "state that it keeps between calls"},
      {"out-of-bounds-read", "the kernel touched memory outside of an input", "loads past the last tile; strides"},
      {"late-write", "the kernel touched its tensors after it had returned",
       "threads and streams that are not waited for"},
      {"left-process", "a process that the kernel started outlived the call", "fork without wait; daemons"},
      {"left-thread", "threads that the kernel started went on working when it had returned",
       "work that is not waited for; pools that spin"},
      {"changed-environment", "the kernel left the process or the thread that called it in another state",
       "rounding modes, flushed subnormals (-ffast-math), the directory, the locale, blocked signals"},
      {"printed", "the kernel wrote to standard output, which belongs to whoever calls it",
       "debugging output: standard error is free"},
      {"wrong-protocol", "what a program sent is no answer in the protocol",
       "docs/doors.md; prints to standard output"},
      {"refused", "the kernel says that it does not take such a problem",
       "its documented limits; --require makes this a failure"},
      {"weak-case", "an answer of all zeros, or the mean of V, would have passed as well",
       "other inputs; this case says nothing"},
      {"wrong-anyway", "the kernel is wrong on this problem even without what the property changes",
       "the value bound first"},
      {"property-error",
       "the property itself threw an exception: nothing is said of the kernel, and the run ends with status 3",
       "the file of the property; the repro line under a debugger"},
      {"unbounded", "an intermediate may leave the range of its format, so nothing can be said", "smaller inputs"},
      {"never-conclusive",
       "a property applied, and no case of it could tell right from wrong, although the suite could have decided it",
       "what the kernel declares of its arithmetic: with the default of its formats such a case is decided"},
      {"required",
       "the kernel refused what --require asks for, in a format that it takes, or no conclusive case has it",
       "the reasons of its refusals"},
  };
  return all;
}

namespace {

Verdict verdict(Outcome outcome, std::string_view reason, std::string evidence) {
  const bool known = std::any_of(reasons().begin(), reasons().end(), [&](const Reason& r) { return r.id == reason; });
  require(known, "every reason of a verdict can be explained");
  Verdict result;
  result.outcome = outcome;
  result.reason = reason;
  result.evidence = std::move(evidence);
  return result;
}

}  // namespace

Verdict Verdict::failed(std::string_view reason, std::string evidence) {
  return verdict(Outcome::failed, reason, std::move(evidence));
}
Verdict Verdict::skipped(std::string why) { return verdict(Outcome::skipped, "refused", std::move(why)); }
Verdict Verdict::inconclusive(std::string_view reason, std::string why) {
  return verdict(Outcome::inconclusive, reason, std::move(why));
}

}  // namespace attestone
