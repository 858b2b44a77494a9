// SPDX-License-Identifier: Apache-2.0
// An additive bias: a tensor of the inputs, as relative positions, padding masks and Evoformer biases are given.
#include "reference/registry.hpp"
#include "reference/score.hpp"

namespace attestone {
namespace {

const Registration<ScoreRule> registered{{
    .name = "bias",
    .summary = "adds an element of the bias tensor; the kind says which axes it has: full [batch, heads, queries, "
               "keys], head [heads, queries, keys], batch [batch, queries, keys], pair [queries, keys], key [batch, "
               "keys]; -inf hides the pair",
    .stage = ScoreRule::Stage::bias,
    .argument = ScoreRule::Argument::kind,
    .kinds = {"full", "head", "batch", "pair", "key"},
}};

}  // namespace
}  // namespace attestone
