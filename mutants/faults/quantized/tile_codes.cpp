// SPDX-License-Identifier: Apache-2.0
// Tiles of codes that go wrong in scales, accumulators, the running maximum or the causal loop.
#include "mutants/hosts/coded_blocks/tile_codes.hpp"

#include "mutants/hosts/coded_blocks/kernel.hpp"
#include "mutants/hosts/coded_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_blocks {
namespace {

/// Shows everywhere.
struct DenominatorOfCasts : WarpFp8 {
  static float denominator_share(float /*p*/, float cast) { return cast; }
};

/// Shows under causal masks from the 65th query on.
struct DiagonalCutShort : ThreadInt8 {
  static index key_tiles(const attestone_args& a, index begin) {
    return ceil_div(causal(a) ? std::min(a.keys, begin + block_k) : a.keys, block_k);
  }
};

/// Shows with many keys whose values have one sign.
struct HalfAccumulator : ThreadInt8 {
  static float accumulate(float sum, float p, float v) { return narrow(static_cast<double>(sum + p * v), f16); }
};

/// Shows with many channels of large codes.
struct Int16Dot : ThreadInt8 {
  static std::int32_t dot(const std::int8_t* q, const std::int8_t* k, index dim) {
    std::uint16_t sum = 0;
    for (index c = 0; c < dim; ++c) sum = static_cast<std::uint16_t>(sum + q[c] * k[c]);
    return static_cast<std::int16_t>(sum);
  }
};

/// Shows where the maximum rises by less than a factor of 2^8 behind the first tile.
struct LazyMaximum : WarpFp8 {
  static float raised(float before, float tile) { return tile > before + 8 ? tile : before; }
};

/// Shows with more than one query.
struct QueryThreadsInARun : ThreadInt8 {
  struct QueryGroups {
    static constexpr int per_warp = 8;
    static int group(int r) { return r / 4; }
  };
};

/// Shows wherever the maximum rises behind the first tile.
struct RescaleToBaseE : ThreadInt8 {
  static float shrink(float difference) { return std::exp(difference); }
};

/// Shows with more than 64 keys.
struct ScaleOfPreviousTile : WarpFp8 {
  static index scale_tile(index t) { return t == 0 ? 0 : t - 1; }
};

/// Shows where a partial tile follows a whole one.
struct TailMaximumOfStaleRows : WarpFp8 {
  static float behind_the_end(float before) { return before; }
};

/// Shows with more than 64 channels.
struct ValueScalesWrapAt64 : WarpFp8 {
  static index value_scale_channel(index c) { return c % 64; }
};

const Registrations<Mutant> registered{
    {.name = "denominator_of_casts",
     .summary = "the denominator sums P as it was cast to e4m3, where P before the cast is declared",
     .property = "codes_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x1x2x2 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<DenominatorOfCasts>>("denominator_of_casts"); },
     .twin = right_warp_fp8},
    {.name = "diagonal_cut_short",
     .summary = "the causal loop ends where a block of 64 queries would end, though a block has 128: its second half "
                "misses the tile of the diagonal",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x100x100x2 mask=causal dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<DiagonalCutShort>>("diagonal_cut_short"); },
     .twin = right_thread_int8},
    {.name = "half_accumulator",
     .summary = "P V is added up in f16 from the first key to the last, where f32 is declared",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x200x8 dtype=f16 fill=uniform",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<HalfAccumulator>>("half_accumulator"); },
     .twin = right_thread_int8},
    {.name = "int16_dot",
     .summary = "products of codes are added up in 16 bits, which wrap",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x4x16 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<Int16Dot>>("int16_dot"); },
     .twin = right_thread_int8},
    {.name = "lazy_maximum",
     .summary = "sums are rescaled only when the maximum has risen by more than 2^8, as for P in 16 bits: e4m3 weights "
                "saturate at 448, and the denominator sums them as they are",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x200x64 scale=0.25 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<LazyMaximum>>("lazy_maximum"); },
     .twin = right_warp_fp8},
    {.name = "query_threads_in_a_run",
     .summary = "thread t of a warp has rows 4 t to 4 t + 3 of the query, where 8 i + t are declared",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x8x6x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<QueryThreadsInARun>>("query_threads_in_a_run"); },
     .twin = right_thread_int8},
    {.name = "rescale_to_base_e",
     .summary = "when the maximum rises, sums so far shrink by e^x, though x is to base 2 as all scores are",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x80x4 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<RescaleToBaseE>>("rescale_to_base_e"); },
     .twin = right_thread_int8},
    {.name = "scale_of_previous_tile",
     .summary = "the scale of K is fetched one tile ahead and used one tile late: tile t is dequantised by the scale "
                "of tile t - 1",
     .property = "codes_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x2x80x52 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<ScaleOfPreviousTile>>("scale_of_previous_tile"); },
     .twin = right_warp_fp8},
    {.name = "tail_maximum_of_stale_rows",
     .summary = "a tile in shared memory is not cleared behind the last key, so the scale of the partial tile counts "
                "rows that the tile before it left there",
     .property = "codes_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x4x66x2 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<TailMaximumOfStaleRows>>("tail_maximum_of_stale_rows"); },
     .twin = right_warp_fp8},
    {.name = "value_scales_wrap_at_64",
     .summary = "channel c of V is multiplied by the scale of channel c mod 64, as if no head had more channels",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x2x80 dtype=f16",
     .batch = "sixth",
     .kernel = [] { return kernel<Launch<ValueScalesWrapAt64>>("value_scales_wrap_at_64"); },
     .twin = right_warp_fp8},
};

}  // namespace
}  // namespace attestone::inline mutants::coded_blocks
