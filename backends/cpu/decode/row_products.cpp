// SPDX-License-Identifier: Apache-2.0
// Four keys at a time, one of each quarter, for as many queries as their sums have registers.
#include "backends/cpu/decode/row_products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/decode/row_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/decode/lanes-inl.hpp"
#include "backends/cpu/simd/cache_lines.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

constexpr int queries_abreast = row_vectors == 1 ? 4 : 1, keys_abreast = 4;

constexpr index bytes_of(StoredFormat format) { return format == StoredFormat::f32 ? 4 : 2; }

using Words = hn::RebindToUnsigned<Floats>;

/// decode_f16 of the lower halves. Highway's own conversion takes infinities for numbers where the machine has none.
HWY_INLINE FloatVector floats_of_f16(hn::Vec<Words> codes) {
  const Floats d;
  const Words words;
  const auto sign = hn::ShiftLeft<16>(hn::And(codes, hn::Set(words, 0x8000u)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(codes, hn::Set(words, 0x7FFFu)));
  const auto finite = hn::BitCast(words, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f)));
  const auto infinite = hn::Or(magnitude, hn::Set(words, 0x7F800000u));
  const auto is_finite = hn::Gt(hn::Set(words, 0x7C00u << 13), magnitude);
  return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(is_finite, finite, infinite)));
}

/// Channels of a row that follow each other, from one on.
template <StoredFormat format>
HWY_INLINE FloatVector load_channels(const std::byte* row, index channel) {
  const Floats d;
  const std::byte* from = row + channel * bytes_of(format);
  if constexpr (format == StoredFormat::f32) {
    return hn::LoadU(d, reinterpret_cast<const float*>(from));
  } else {
    const hn::Rebind<std::uint16_t, Floats> halves;
    const auto codes = hn::PromoteTo(Words(), hn::LoadU(halves, reinterpret_cast<const std::uint16_t*>(from)));
    return format == StoredFormat::f16 ? floats_of_f16(codes) : hn::BitCast(d, hn::ShiftLeft<16>(codes));
  }
}

/// visit.operator()<queries>(first) for queries 0 ... all - 1, as many abreast as fit.
template <class Visit>
HWY_INLINE void for_few_queries(index all, Visit visit) {
  index first = 0;
  for (; first + queries_abreast <= all; first += queries_abreast) visit.template operator()<queries_abreast>(first);
  unrolled<queries_abreast - 1>([&]<int i>() ATTESTONE_INLINED {
    if (all - first == i + 1) visit.template operator()<i + 1>(first);
  });
}

/// Four rows, which need not be different ones.
struct FourRows {
  index number[keys_abreast];
  const std::byte* row[keys_abreast];

  /// The lines that are so many bytes behind a channel, if a line begins with it.
  template <StoredFormat format>
  HWY_INLINE void fetch(index channel, index distance) const {
    const index byte = channel * bytes_of(format);
    if (distance == 0 || byte % cache_line_bytes != 0) return;
    for (const std::byte* from : row) fetch_line<Cache::second>(from + distance + byte);
  }
};

FourRows one_of_each_quarter(const KeyRows& rows, index quarter, index at) {
  FourRows four;
  for (int i = 0; i < keys_abreast; ++i) four.number[i] = i * quarter + at, four.row[i] = rows[four.number[i]];
  return four;
}

/// How far ahead rows are fetched, in bytes: one query reads them as fast as the machine does by itself, and is only
/// delayed.
index distance_ahead(const KeyRows& rows, index channels, index queries) {
  constexpr index lines_ahead = 32;
  const index row_bytes = channels * bytes_of(rows.format);
  return queries == 1 ? 0 : (lines_ahead * cache_line_bytes + row_bytes - 1) / row_bytes * rows.stride;
}

/// The scores of four keys.
template <StoredFormat format, int queries>
HWY_NOINLINE void dot_four_keys(FloatMatrixRows Q, const FourRows& K, index dim, index distance, float* HWY_RESTRICT S,
                                index stride) {
  const Floats d;
  RowSums sums[queries][keys_abreast];
  unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
    unrolled<keys_abreast>([&]<int key>() ATTESTONE_INLINED {
      unrolled<row_vectors>([&]<int part>() ATTESTONE_INLINED { sums[query][key][part] = hn::Zero(d); });
    });
  });
  for (index channel = 0; channel < dim; channel += row_lanes) {
    K.fetch<format>(channel, distance);
    unrolled<row_vectors>([&]<int part>() ATTESTONE_INLINED {
      const index at = channel + part * float_lanes;
      FloatVector k[keys_abreast];
      for (int key = 0; key < keys_abreast; ++key) k[key] = load_channels<format>(K.row[key], at);
      unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
        const FloatVector q = hn::LoadU(d, Q[query] + at);
        unrolled<keys_abreast>([&]<int key>() ATTESTONE_INLINED {
          sums[query][key][part] = hn::MulAdd(q, k[key], sums[query][key][part]);
        });
      });
    });
  }
  unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
    float four[keys_abreast];
    store_four_sums(sums[query], four);
    for (int key = 0; key < keys_abreast; ++key) S[query * stride + K.number[key]] = four[key];
  });
}

template <StoredFormat format, int queries, int keys>
HWY_NOINLINE void add_few_rows(FloatMatrixRows P, const FourRows& V, index channels, index distance,
                               float* HWY_RESTRICT O) {
  const Floats d;
  FloatVector p[queries][keys];
  unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
    unrolled<keys>([&]<int key>() ATTESTONE_INLINED { p[query][key] = hn::Set(d, P[query][V.number[key]]); });
  });
  for (index channel = 0; channel < channels; channel += float_lanes) {
    V.fetch<format>(channel, distance);
    FloatVector v[keys];
    unrolled<keys>([&]<int key>() ATTESTONE_INLINED { v[key] = load_channels<format>(V.row[key], channel); });
    unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
      float* o = O + query * channels + channel;
      FloatVector sum = hn::LoadU(d, o);
      unrolled<keys>([&]<int key>() ATTESTONE_INLINED { sum = hn::MulAdd(p[query][key], v[key], sum); });
      hn::StoreU(sum, d, o);
    });
  }
}

template <StoredFormat format>
void dot_stored_rows(FloatMatrixRows Q, index queries, KeyRows K, index keys, index dim, float* S, index stride) {
  const index distance = distance_ahead(K, dim, queries);
  const auto dot = [&](const FourRows& four) ATTESTONE_INLINED {
    for_few_queries(queries, [&]<int few>(index query) ATTESTONE_INLINED {
      dot_four_keys<format, few>(Q.from(query), four, dim, query == 0 ? distance : 0, S + query * stride, stride);
    });
  };
  const index quarter = keys / keys_abreast, whole = quarter * keys_abreast;
  for (index row = 0; row < quarter; ++row) dot(one_of_each_quarter(K, quarter, row));
  if (whole == keys) return;
  FourRows rest = one_of_each_quarter(K, 0, keys - 1);
  for (index key = whole; key < keys; ++key) rest.number[key - whole] = key, rest.row[key - whole] = K[key];
  dot(rest);
}

template <StoredFormat format>
void add_stored_rows(FloatMatrixRows P, index queries, KeyRows V, index keys, index channels, float* O) {
  const index distance = distance_ahead(V, channels, queries);
  const auto add = [&]<int count>(const FourRows& four) ATTESTONE_INLINED {
    for_few_queries(queries, [&]<int few>(index query) ATTESTONE_INLINED {
      add_few_rows<format, few, count>(P.from(query), four, channels, query == 0 ? distance : 0, O + query * channels);
    });
  };
  const index quarter = keys / keys_abreast, whole = quarter * keys_abreast;
  for (index row = 0; row < quarter; ++row) add.template operator()<keys_abreast>(one_of_each_quarter(V, quarter, row));
  for (index key = whole; key < keys; ++key) add.template operator()<1>(one_of_each_quarter(V, 0, key));
}

void dot_rows_on_target(FloatMatrixRows Q, index queries, KeyRows K, index keys, index dim, float* S, index stride) {
  const auto dot = K.format == StoredFormat::f32   ? dot_stored_rows<StoredFormat::f32>
                   : K.format == StoredFormat::f16 ? dot_stored_rows<StoredFormat::f16>
                                                   : dot_stored_rows<StoredFormat::bf16>;
  dot(Q, queries, K, keys, dim, S, stride);
}

void add_rows_on_target(FloatMatrixRows P, index queries, KeyRows V, index keys, index channels, float* O) {
  const auto add = V.format == StoredFormat::f32   ? add_stored_rows<StoredFormat::f32>
                   : V.format == StoredFormat::f16 ? add_stored_rows<StoredFormat::f16>
                                                   : add_stored_rows<StoredFormat::bf16>;
  add(P, queries, V, keys, channels, O);
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(dot_rows_on_target);
HWY_EXPORT(add_rows_on_target);

void dot_rows(FloatMatrixRows Q, index queries, KeyRows K, index keys, index dim, float* S, index stride) {
  HWY_DYNAMIC_DISPATCH(dot_rows_on_target)(Q, queries, K, keys, dim, S, stride);
}

void add_rows(FloatMatrixRows P, index queries, KeyRows V, index keys, index channels, float* O) {
  HWY_DYNAMIC_DISPATCH(add_rows_on_target)(P, queries, V, keys, channels, O);
}

}  // namespace attestone::inline backends
#endif
