// SPDX-License-Identifier: Apache-2.0
// FlashAttention-3 in FP8 by its name.
#include "backends/catalogue.hpp"
#include "backends/cpu/quantization/static_scales.hpp"
#include "backends/cpu/quantized_kernels/coded_attention.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// J. Shah et al., "FlashAttention-3" (arXiv 2407.08608), section 3.3: Q, K, V and P in e4m3 on Hopper's tensor cores.
/// Scales are those of heads, or of blocks of 128 rows of Q and `key_tile` rows of K and V; `incoherent`: Q and K are
/// rotated first. P reaches 2^8, as in hopper/softmax.h. With scales of heads O stays in the tensor core's accumulator.
CodedAlgorithm flash3_fp8(bool by_block, bool incoherent) {
  constexpr index query_block = 128, key_tile = 224;
  const auto codes = [&](index rows) {
    return OperandCodes{CodeRule::e4m3, by_block ? ScaleSharing::rows : ScaleSharing::head, rows};
  };
  CodedAlgorithm algorithm{.query_codes = codes(query_block),
                           .key_codes = codes(key_tile),
                           .value_codes = codes(key_tile),
                           .score_unit = &matrix_unit("hopper.e4m3.f32"),
                           .unit = &matrix_unit("hopper.e4m3.f32"),
                           .sums = by_block ? TileSums::apart : TileSums::onto_out,
                           .lowered = 8,
                           .query_block = query_block,
                           .key_tile = key_tile};
  algorithm.query_codes.rotated = algorithm.key_codes.rotated = incoherent;
  return algorithm;
}

CodedAlgorithm algorithm_of(const Settings& settings, const Problem&) {
  CodedAlgorithm algorithm = flash3_fp8(settings.text("scales") == "block", settings.text("incoherent") == "1");
  algorithm.query_codes = with_static_scale(algorithm.query_codes, settings, "query_largest");
  algorithm.key_codes = with_static_scale(algorithm.key_codes, settings, "key_largest");
  algorithm.value_codes = with_static_scale(algorithm.value_codes, settings, "value_largest");
  return algorithm;
}

const Registration<KernelEntry> registered{{
    .name = "flash3_fp8",
    .summary = "FlashAttention-3 with Q, K, V and P in e4m3 on Hopper's tensor cores",
    .settings = {{"scales", "block", one_of({"block", "tensor"}), "which rows share a scale"},
                 {"incoherent", "1", one_of({"0", "1"}), "Q and K are rotated first, dims being powers of two"},
                 static_scale("query_largest"),
                 static_scale("key_largest"),
                 static_scale("value_largest")},
    .examples = {"incoherent=0", "scales=tensor", "scales=tensor:incoherent=0",
                 "incoherent=0:query_largest=4:key_largest=4:value_largest=4"},
    .make = [](const Settings& settings) -> SharedKernel {
      return std::make_shared<CodedAttention>("flash3_fp8", settings, algorithm_of);
    },
}};

}  // namespace
}  // namespace attestone::inline backends
