// SPDX-License-Identifier: Apache-2.0
// Parts of rows that are stored too late, merged without a guard, or cut short.
#include <chrono>

#include "mutants/hosts/fragments/cascade.hpp"
#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/fragments.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/right.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/hosts/fragments/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

/// Shows in dims above 64 that are 1 to 7 above a multiple of 16.
struct ChannelsBehindHalfAStepLost : Fragments {
  using Fragments::Fragments;

  int product_steps() const override {
    return dim > 64 && dim % 16 < 8 ? static_cast<int>(dim / 16) : Fragments::product_steps();
  }
};

/// Shows with more than one thread where processors share a block, in some runs more than in others.
struct FlagRaisedBeforePartIsStored : Stream {
  using Stream::Stream;

  void publish(Int c, const Partial& part) override {
    raise_flag(c);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    store_part(c, part);
  }
};

/// Shows with scores that rise by more than 88 from part to part.
struct MergeByLogarithmOfRatioOverflows : Stream {
  using Stream::Stream;

  void merge(Partial& into, const Partial& part, Int r) const override {
    if (into.sum[at(r)] == 0 || part.sum[at(r)] == 0) return Stream::merge(into, part, r);
    const float x = into.maximum[at(r)] + std::log(into.sum[at(r)]);
    const float y = part.maximum[at(r)] + std::log(part.sum[at(r)]);
    const float all = x + std::log(1.0f + std::exp(y - x));
    const float f = std::exp(into.maximum[at(r)] - all), g = std::exp(part.maximum[at(r)] - all);
    for (Int c = 0; c < value_dim; ++c)
      into.acc[at(r * value_dim + c)] = into.acc[at(r * value_dim + c)] * f + part.acc[at(r * value_dim + c)] * g;
    into.maximum[at(r)] = all;
    into.sum[at(r)] = 1.0f;
  }
};

/// Shows with grouped heads, more than one kv head, and no mask. The twin takes nothing off its keys: what is taken
/// off and given back is rounded like the largest key, which the default class does not allow.
struct SmoothedKeysCompensatedByOtherHead : Cascade {
  using Cascade::Cascade;

  bool smooths() const { return a.mask_form == ATTESTONE_MASK_FULL && !(a.softcap > 0) && !bias; }
  Floats mean(const Sequence& s, Int kv, Int j0, Int j1) const {
    Floats sum = filled(dim), key = filled(dim);
    for (Int j = j0; j < j1; ++j) {
      load_key(s, kv, j, key.data());
      add_scaled(sum.data(), 1.0f / static_cast<float>(j1 - j0), key.data(), dim);
    }
    return sum;
  }
  void prepare(const Sequence& s, Int kv, Int j0, Int j1, Floats& keys) const override {
    if (!smooths()) return;
    const Floats m = mean(s, kv, j0, j1);
    for (Int j = j0; j < j1; ++j) add_scaled(&keys[at((j - j0) * dim)], -1.0f, m.data(), dim);
  }
  float missing(const Sequence& s, Int h, Int j0, Int j1, const float* query) const override {
    if (!smooths()) return 0.0f;
    return product(query, mean(s, group > 1 ? h % a.kv_heads : h, j0, j1).data(), dim) * scale();
  }
};

/// Shows with masks that leave a row nothing in the first two parts of a block.
struct TwoEmptyPartsMergeToNan : Stream {
  using Stream::Stream;

  void merge(Partial& into, const Partial& part, Int r) const override {
    if (into.maximum[at(r)] == -kInfinity && part.maximum[at(r)] == -kInfinity) {
      into.sum[at(r)] = std::numeric_limits<float>::quiet_NaN();
      return;
    }
    Stream::merge(into, part, r);
  }
};

const Registrations<Mutant> registered{
    {.name = "channels_behind_half_a_step_lost",
     .summary = "above dim 64 the steps of 16 channels are rounded to the nearest number: fewer than eight channels "
                "that remain take no part in q.k",
     .source = "triton-lang/triton #621",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x8x12x68",
     .batch = "fourth",
     .kernel = [] { return kernel<ChannelsBehindHalfAStepLost, Stored>("channels_behind_half_a_step_lost"); },
     .twin = right_fragments_stored},
    {.name = "flag_raised_before_part_is_stored",
     .summary = "a processor says that its part is there before it has stored it",
     .source = "NVIDIA/cutlass #2027",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x400x16",
     .batch = "fourth",
     .kernel = [] { return kernel<FlagRaisedBeforePartIsStored, Stored>("flag_raised_before_part_is_stored"); },
     .twin = right_stream_stored},
    {.name = "merge_by_logarithm_of_ratio_overflows",
     .summary = "parts are merged as lse + log(1 + exp(part - lse)), which is infinite where a part lies more than 88 "
                "above what came before",
     .source = "jzhang38/EasyContext #14",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x4x512x16 scale=60",
     .batch = "fourth",
     .kernel = [] { return kernel<MergeByLogarithmOfRatioOverflows, Stored>("merge_by_logarithm_of_ratio_overflows"); },
     .twin = right_stream_stored},
    {.name = "smoothed_keys_compensated_by_other_head",
     .summary = "the mean of the keys of a part is taken off them, and log_sum_exp is compensated by the mean of kv "
                "head h mod kv_heads",
     .source = "ROCm/aiter PR #3334, ROCm/aiter PR #3349",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/2x16x64x16",
     .batch = "fourth",
     .kernel =
         [] { return kernel<SmoothedKeysCompensatedByOtherHead, Stored>("smoothed_keys_compensated_by_other_head"); },
     .twin = right_cascade_stored},
    {.name = "two_empty_parts_merge_to_nan",
     .summary = "two parts that both see nothing of a row are merged by -infinity - (-infinity)",
     .source = "flashinfer-ai/flashinfer #4051",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4x400x16 mask=dense:1",
     .batch = "fourth",
     .kernel = [] { return kernel<TwoEmptyPartsMergeToNan, Expanded>("two_empty_parts_merge_to_nan"); },
     .twin = right_stream_expanded},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
