// SPDX-License-Identifier: Apache-2.0
// Four keys at a time, for as many queries as their sums have registers.
#include "backends/cpu/decode/row_products.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/decode/row_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/decode/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

constexpr int queries_abreast = row_vectors == 1 ? 4 : 1;

/// visit.operator()<queries>(first) for queries 0 ... all - 1, as many abreast as fit.
template <class Visit>
HWY_INLINE void for_few_queries(index all, Visit visit) {
  index first = 0;
  for (; first + queries_abreast <= all; first += queries_abreast) visit.template operator()<queries_abreast>(first);
  unrolled<queries_abreast - 1>([&]<int i>() ATTESTONE_INLINED {
    if (all - first == i + 1) visit.template operator()<i + 1>(first);
  });
}

/// The scores of four keys, which need not be different ones.
template <int queries>
HWY_NOINLINE void dot_four_keys(FloatMatrixRows Q, const float* const* keys, index dim, float* HWY_RESTRICT S,
                                index stride, const Fetch& fetch) {
  const Floats d;
  const float *a = keys[0], *b = keys[1], *c = keys[2], *e = keys[3];
  RowSums sums[queries][keys_abreast];
  unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
    unrolled<keys_abreast>([&]<int key>() ATTESTONE_INLINED {
      unrolled<row_vectors>([&]<int part>() ATTESTONE_INLINED { sums[query][key][part] = hn::Zero(d); });
    });
  });
  for (index channel = 0; channel < dim; channel += row_lanes) {
    fetch.step(channel);
    unrolled<row_vectors>([&]<int part>() ATTESTONE_INLINED {
      const index at = channel + part * float_lanes;
      const FloatVector k[] = {hn::LoadU(d, a + at), hn::LoadU(d, b + at), hn::LoadU(d, c + at), hn::LoadU(d, e + at)};
      unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
        const FloatVector q = hn::LoadU(d, Q[query] + at);
        unrolled<keys_abreast>([&]<int key>() ATTESTONE_INLINED {
          sums[query][key][part] = hn::MulAdd(q, k[key], sums[query][key][part]);
        });
      });
    });
  }
  unrolled<queries>([&]<int query>() ATTESTONE_INLINED { store_four_sums(sums[query], S + query * stride); });
}

template <int queries, int keys>
HWY_NOINLINE void add_few_rows(FloatMatrixRows P, FloatMatrixRows V, index channels, float* HWY_RESTRICT O,
                               const Fetch& fetch) {
  const Floats d;
  FloatVector p[queries][keys];
  unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
    unrolled<keys>([&]<int key>() ATTESTONE_INLINED { p[query][key] = hn::Set(d, P[query][key]); });
  });
  for (index channel = 0; channel < channels; channel += float_lanes) {
    fetch.step(channel);
    FloatVector v[keys];
    unrolled<keys>([&]<int key>() ATTESTONE_INLINED { v[key] = hn::LoadU(d, V[key] + channel); });
    unrolled<queries>([&]<int query>() ATTESTONE_INLINED {
      float* o = O + query * channels + channel;
      FloatVector sum = hn::LoadU(d, o);
      unrolled<keys>([&]<int key>() ATTESTONE_INLINED { sum = hn::MulAdd(p[query][key], v[key], sum); });
      hn::StoreU(sum, d, o);
    });
  }
}

/// What the block of these queries fetches while it works on four keys.
Fetch fetch_of(const ComingRows& coming, index first_key, index query, index queries) {
  const index blocks = (queries + queries_abreast - 1) / queries_abreast;
  return {coming, first_key / keys_abreast, query / queries_abreast, blocks};
}

void dot_rows_on_target(FloatMatrixRows Q, index queries, FloatMatrixRows K, index keys, index dim, float* S,
                        index stride, const ComingRows& coming) {
  for (index first = 0; first < keys; first += keys_abreast) {
    const float* rows[keys_abreast];
    for (int i = 0; i < keys_abreast; ++i) rows[i] = K[std::min(first + i, keys - 1)];
    for_few_queries(queries, [&]<int few>(index query) ATTESTONE_INLINED {
      dot_four_keys<few>(Q.from(query), rows, dim, S + query * stride + first, stride,
                         fetch_of(coming, first, query, queries));
    });
  }
}

void add_rows_on_target(FloatMatrixRows P, index queries, FloatMatrixRows V, index keys, index channels, float* O,
                        const ComingRows& coming) {
  const auto add = [&]<int count>(index first) ATTESTONE_INLINED {
    for_few_queries(queries, [&]<int few>(index query) ATTESTONE_INLINED {
      add_few_rows<few, count>({P[query] + first, P.stride}, V.from(first), channels, O + query * channels,
                               fetch_of(coming, first, query, queries));
    });
  };
  index first = 0;
  for (; first + keys_abreast <= keys; first += keys_abreast) add.template operator()<keys_abreast>(first);
  for (; first < keys; ++first) add.template operator()<1>(first);
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(dot_rows_on_target);
HWY_EXPORT(add_rows_on_target);

void dot_rows(FloatMatrixRows Q, index queries, FloatMatrixRows K, index keys, index dim, float* S, index stride,
              const ComingRows& coming) {
  HWY_DYNAMIC_DISPATCH(dot_rows_on_target)(Q, queries, K, keys, dim, S, stride, coming);
}

void add_rows(FloatMatrixRows P, index queries, FloatMatrixRows V, index keys, index channels, float* O,
              const ComingRows& coming) {
  HWY_DYNAMIC_DISPATCH(add_rows_on_target)(P, queries, V, keys, channels, O, coming);
}

}  // namespace attestone
#endif
