// SPDX-License-Identifier: Apache-2.0
// Codes of rows that are rounded otherwise or take other scales than those declared.
#include "mutants/hosts/coded_blocks/row_codes.hpp"

#include "mutants/hosts/coded_blocks/kernel.hpp"
#include "mutants/hosts/coded_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_blocks {
namespace {

/// Shows everywhere.
struct RoundsTowardZero : TokenRule {
  static float rounded(float x) { return std::trunc(x); }
};

/// Shows everywhere.
struct ScaleOf128 : TokenRule {
  static constexpr float steps = 128;
};

/// Shows in rows whose largest size is that of a negative number.
struct SignedMaximum : TokenRule {
  static float largest(const Row& x) {
    float a = 0;
    for (const float v : x) a = std::isnan(v) || v > a ? v : a;
    return a;
  }
};

/// Shows at ties, which are frequent in bf16 rows whose largest size is 127 steps of a power of two.
struct TiesToEven : TokenRule {
  static float rounded(float x) { return std::nearbyint(x); }
};

/// Shows where query heads share one of several kv heads.
struct ValueScalesOfAnotherHead : CachePlaces {
  static index value_scale_head(const attestone_args& a, index h) { return h % a.kv_heads; }
};

/// Shows with more than 64 keys.
struct ValueScalesOfFirstPage : CachePlaces {
  static std::size_t value_token(std::size_t j) { return j % 64; }
};

const Registrations<Mutant> registered{
    {.name = "rounds_toward_zero",
     .summary = "codes are cut off without half a step before it",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x4x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Attention<TokenInt8<RoundsTowardZero>>>("rounds_toward_zero"); },
     .twin = right_token_int8},
    {.name = "scale_of_128",
     .summary = "a scale is the largest size / 128, not / 127, and what would be 128 saturates",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x4x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Attention<TokenInt8<ScaleOf128>>>("scale_of_128"); },
     .twin = right_token_int8},
    {.name = "signed_maximum",
     .summary = "the scale comes from the largest number of a row, not from the largest size: negative numbers that "
                "are larger saturate",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x4x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Attention<TokenInt8<SignedMaximum>>>("signed_maximum"); },
     .twin = right_token_int8},
    {.name = "ties_to_even",
     .summary = "codes go to the nearest integer with ties to even, where ties away from 0 are declared",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4x128x16x64 dtype=bf16",
     .batch = "sixth",
     .kernel = [] { return kernel<Attention<TokenInt8<TiesToEven>>>("ties_to_even"); },
     .twin = right_token_int8},
    {.name = "value_scales_of_another_head",
     .summary =
         "scales of V are those of kv head h mod kv_heads, where head h of the query reads the codes of h / group",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/2x2x4x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Attention<Cache<ValueScalesOfAnotherHead>>>("value_scales_of_another_head"); },
     .twin = right_cached_kv},
    {.name = "value_scales_of_first_page",
     .summary = "scales of V are indexed by the place of a token in its page of 64, and the page is forgotten",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x66x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Attention<Cache<ValueScalesOfFirstPage>>>("value_scales_of_first_page"); },
     .twin = right_cached_kv},
};

}  // namespace
}  // namespace attestone::inline mutants::coded_blocks
