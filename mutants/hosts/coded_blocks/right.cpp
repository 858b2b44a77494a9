// SPDX-License-Identifier: Apache-2.0
// The hosts of this room without a fault: five ways to compute with codes.
#include "mutants/hosts/coded_blocks/right.hpp"

#include "mutants/hosts/coded_blocks/block_codes.hpp"
#include "mutants/hosts/coded_blocks/kernel.hpp"
#include "mutants/hosts/coded_blocks/row_codes.hpp"
#include "mutants/hosts/coded_blocks/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_blocks {

SharedKernel right_block_int8() { return kernel<BlockInt8>("right_block_int8"); }
SharedKernel right_token_int8() { return kernel<Attention<TokenInt8<TokenRule>>>("right_token_int8"); }
SharedKernel right_cached_kv() { return kernel<Attention<Cache<CachePlaces>>>("right_cached_kv"); }
SharedKernel right_thread_int8() { return kernel<Launch<ThreadInt8>>("right_thread_int8"); }
SharedKernel right_warp_fp8() { return kernel<Launch<WarpFp8>>("right_warp_fp8"); }

namespace {

const Registration<Twin> by_blocks{{.name = "right_block_int8",
                                    .summary = "int8 by blocks of 128 queries and 64 keys, K less its mean, P in f16",
                                    .batch = "sixth",
                                    .kernel = right_block_int8}};
const Registration<Twin> by_tokens{{.name = "right_token_int8",
                                    .summary = "int8 of Q and K with a scale for each token, all else in f32",
                                    .batch = "sixth",
                                    .kernel = right_token_int8}};
const Registration<Twin> cached{{.name = "right_cached_kv",
                                 .summary = "a quantized cache: K in int8 by channels, V in e4m3 by tokens",
                                 .batch = "sixth",
                                 .kernel = right_cached_kv}};
const Registration<Twin> by_threads{
    {.name = "right_thread_int8",
     .summary = "int8 by threads of a tensor core's tile, P in f16 in numerator and denominator",
     .batch = "sixth",
     .kernel = right_thread_int8}};
const Registration<Twin> by_warps{{.name = "right_warp_fp8",
                                   .summary = "int8 by warps of K less its mean, P and V in e4m3",
                                   .batch = "sixth",
                                   .kernel = right_warp_fp8}};

}  // namespace
}  // namespace attestone::inline mutants::coded_blocks
