// SPDX-License-Identifier: Apache-2.0
// Sinks: a learned logit that takes a share of the softmax and has no value. GPT-OSS model card (arXiv 2508.10925).
#include "reference/registry.hpp"
#include "reference/score.hpp"

namespace attestone {
namespace {

const Registration<ScoreRule> registered{{
    .name = "sink",
    .summary = "one more logit in every softmax, without a key and a value; kind head: one for each query head",
    .stage = ScoreRule::Stage::sink,
    .argument = ScoreRule::Argument::kind,
    .kinds = {"head"},
}};

}  // namespace
}  // namespace attestone
