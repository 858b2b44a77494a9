// SPDX-License-Identifier: Apache-2.0
// Softcap: scores are bent smoothly into (-c, c). Gemma 2 (arXiv 2408.00118), section 2, "Logit soft-capping".
#include <cmath>

#include "reference/registry.hpp"
#include "reference/score.hpp"

namespace attestone {
namespace {

const Registration<ScoreRule> registered{{
    .name = "softcap",
    .summary = "c tanh(s / c) in place of s, before the mask; c > 0",
    .stage = ScoreRule::Stage::cap,
    .argument = ScoreRule::Argument::number,
    .cap = [](double score, double cap) { return cap * std::tanh(score / cap); },
}};

}  // namespace
}  // namespace attestone
