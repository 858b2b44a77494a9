// SPDX-License-Identifier: Apache-2.0
// Chunked local attention: positions fall into chunks of one size, none of which sees another. Llama 4's local layers
// are chunk:8192&causal (transformers' attention_chunk_size, FlashAttention 3's attention_chunk).
#include "reference/masks/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "chunk",
    .summary = "a query at position p sees the keys of its own chunk: those with key / SIZE = p / SIZE, rounded down",
    .arguments = "SIZE",
    .argument_count = 1,
    .least_argument = 1,
    .allows =
        [](const MaskPoint& at, std::span<const index> arguments) {
          const index position = at.sequence.position(at.pair.query), size = arguments[0];
          return position >= 0 && at.pair.key / size == position / size;
        },
    .drawing = {.chance = 0.04},  // most problems of old seeds stay what they were
}};

}  // namespace
}  // namespace attestone
