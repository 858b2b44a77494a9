// SPDX-License-Identifier: Apache-2.0
// Codes of blocks whose scales or means come from other rows, heads or sequences.
#include "mutants/hosts/coded_blocks/block_codes.hpp"

#include "mutants/hosts/coded_blocks/kernel.hpp"
#include "mutants/hosts/coded_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_blocks {
namespace {

/// Shows with more than 64 keys.
struct KeyBlocksOf128 : BlockInt8 {
  index key_block() const override { return query_block; }
};

/// Shows in log_sum_exp alone, wherever K has a mean.
struct MeanMissingInLse : BlockInt8 {
  float mean_score(const attestone_args& /*a*/, index /*b*/, index /*h*/, index /*i*/,
                   const std::vector<float>& /*mean*/) const override {
    return 0;
  }
};

/// Shows where 64 does not divide the keys, and in the codes alone: log_sum_exp gets back what was subtracted.
struct MeanOverPaddedCount : BlockInt8 {
  double mean_count(const attestone_args& a) const override {
    return static_cast<double>(ceil_div(a.keys, key_block()) * key_block());
  }
};

/// Shows with several sequences, and in the codes alone.
struct MeanOverTheBatch : BlockInt8 {
  std::vector<float> mean_of_keys(const attestone_args& a, index /*b*/, index kv_head) const override {
    std::vector<float> mean(static_cast<std::size_t>(a.dim));
    for (index c = 0; c < a.dim; ++c) {
      double sum = 0;
      for (index b = 0; b < a.batch; ++b)
        for (index j = 0; j < a.keys; ++j) sum += static_cast<double>(load(a.key, b, kv_head, j, c));
      mean[static_cast<std::size_t>(c)] =
          narrow(sum / (mean_count(a) * static_cast<double>(a.batch)), format_of(a.key));
    }
    return mean;
  }
};

/// Shows in bf16.
struct QueryRoundedBeforeCodes : BlockInt8 {
  float scaled_query(const attestone_args& a, float x) const override {
    return narrow(static_cast<double>(BlockInt8::scaled_query(a, x)), format_of(a.query));
  }
};

/// Shows in every kv head but the first, with a partial block of keys at the end.
struct ScaleRowsTooShort : BlockInt8 {
  index key_scale_read_at(const attestone_args& a, index head, index row) const override {
    return head * (a.keys / key_block()) + row / key_block();
  }
};

/// Shows where 64 does not divide the keys, and K has a mean.
struct TailKeepsItsMean : BlockInt8 {
  float centred(const attestone_args& a, index row, float x, float mean) const override {
    const bool whole_tile = row < a.keys / key_block() * key_block();
    return BlockInt8::centred(a, row, x, whole_tile ? mean : 0);
  }
};

/// Shows in blocks of zeros: a lone query of zeros, or one key alone, which without its mean is 0.
struct ZeroBlockDivides : BlockInt8 {
  float code(float x, float scale) const override {
    const float y = x / scale;
    return std::trunc(y + (y >= 0 ? 0.5F : -0.5F));
  }
};

const Registrations<Mutant> registered{
    {.name = "key_blocks_of_128",
     .summary = "a block of 128 keys shares a scale, as one of queries does, where 64 are declared",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x80x64 scale=0.4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<KeyBlocksOf128>("key_blocks_of_128"); },
     .twin = right_block_int8},
    {.name = "mean_missing_in_lse",
     .summary = "log_sum_exp does not get back what the scores lost with the mean of K",
     .source = "ROCm/aiter PR #3334",
     .property = "codes_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x2x4x4 dtype=f16 fill=channel_offset",
     .batch = "sixth",
     .kernel = [] { return kernel<MeanMissingInLse>("mean_missing_in_lse"); },
     .twin = right_block_int8},
    {.name = "mean_over_padded_count",
     .summary = "the mean of K is the sum of its rows over the number of rows that whole tiles would have",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x5x4 dtype=f16 fill=channel_offset",
     .batch = "sixth",
     .kernel = [] { return kernel<MeanOverPaddedCount>("mean_over_padded_count"); },
     .twin = right_block_int8},
    {.name = "mean_over_the_batch",
     .summary = "K loses its mean over the keys of all sequences of the batch, where the mean over its own is declared",
     .source = "thu-ml/SageAttention, sageattn_varlen",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=2x1x2x4x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<MeanOverTheBatch>("mean_over_the_batch"); },
     .twin = right_block_int8},
    {.name = "query_rounded_before_codes",
     .summary = "the scaled query goes back to its own format before codes are made of it, as where q * scale is an "
                "operation of its own in a framework",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x8x8x16 dtype=bf16",
     .batch = "sixth",
     .kernel = [] { return kernel<QueryRoundedBeforeCodes>("query_rounded_before_codes"); },
     .twin = right_block_int8},
    {.name = "scale_rows_too_short",
     .summary = "scales of K are written in rows of as many blocks as there are, and read as if a row had only its "
                "whole blocks",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=2x1x2x66x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<ScaleRowsTooShort>("scale_rows_too_short"); },
     .twin = right_block_int8},
    {.name = "tail_keeps_its_mean",
     .summary = "only whole tiles of 64 keys lose the mean of K; the copy of the partial one at the end forgets it",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x5x4 dtype=bf16 fill=channel_offset",
     .batch = "sixth",
     .kernel = [] { return kernel<TailKeepsItsMean>("tail_keeps_its_mean"); },
     .twin = right_block_int8},
    {.name = "zero_block_divides",
     .summary = "codes are x / scale also in a block of zeros, whose scale is 0",
     .source = "thu-ml/SageAttention, sageattention/triton/quant_per_block.py",
     .property = "codes_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x4x1x5x2 dtype=f16 fill=few_valued",
     .batch = "sixth",
     .kernel = [] { return kernel<ZeroBlockDivides>("zero_block_divides"); },
     .twin = right_block_int8},
};

}  // namespace
}  // namespace attestone::inline mutants::coded_blocks
