// SPDX-License-Identifier: Apache-2.0
// Host "split": flash-decoding. The query heads that share a kv head are packed into rows (query, head of the group);
// blocks of 16 packed rows meet the keys in splits of 128, each with a maximum, a sum and an output of its own that is
// not divided; a second kernel merges them, and adds the sink there. f32 throughout, softmax of base 2.
#pragma once
#include "mutants/hosts/pipelines/problem.hpp"

namespace attestone::inline mutants::pipelines {

struct SplitPolicy : Rules {
  static constexpr Index kBlock = 16, kKeys = 32, kSplit = 128;

  /// The query and the head of a packed row. Rows are numbered within a kv head.
  static Index query_of(const Problem& p, Index r) { return r / p.group; }
  static Index head_of(const Problem& p, Index kv, Index r) { return kv * p.group + r % p.group; }
  /// The kv head and the packed rows of a block of them. Blocks never reach across kv heads.
  struct Block {
    Index kv, begin, end;
  };
  static Block block(const Problem& p, const Sequence& s, Index number) {
    const Index rows = s.queries * p.group, blocks = ceil_div(rows, kBlock), kv = number / blocks;
    const Index begin = number % blocks * kBlock;
    return {kv, begin, std::min(begin + kBlock, rows)};
  }
  static Index blocks(const Problem& p, const Sequence& s) {
    return ceil_div(s.queries * p.group, kBlock) * p.a.kv_heads;
  }

  static Index splits(const Problem&, const Sequence& s) { return std::max<Index>(1, ceil_div(s.keys, kSplit)); }
  static Range split(const Sequence& s, Index number, Index splits) {
    const Index tiles = ceil_div(s.keys, kKeys), share = ceil_div(tiles, splits);
    return {std::min(s.keys, number * share * kKeys), std::min(s.keys, (number + 1) * share * kKeys)};
  }
  /// The keys that packed rows [r0, r1) may see: a split outside of them is not visited.
  template <class P>
  static Range reach(const Problem& p, const Sequence& s, Index r0, Index r1) {
    return key_reach<P>(p, s, P::query_of(p, r0), P::query_of(p, r1 - 1) + 1);
  }
  template <class P>
  static bool shown(const Problem& p, const Sequence& s, Index kv, Index r, Index j) {
    return visible<P>(p, s, P::head_of(p, kv, r), P::query_of(p, r), j);
  }
  static bool kept_in_split(const Problem& p, const Sequence& s, Index h, Index i, Index j, Index /*split_begin*/) {
    return kept(p, s, h, i, j);
  }
  static Index key_slot(const Problem&, const Sequence& s) { return s.place; }
  static float accumulated(const Problem&, float x) { return x; }
  static float sink_of_row(const Problem& p, Index kv, Index r) { return Rules::sink(p, kv * p.group + r % p.group); }

  /// One row's parts become one.
  struct Part {
    const float* out;
    float maximum, sum;
  };
  static float merge(const Problem& p, const std::vector<Part>& parts, const float* sink, float* out) {
    float maximum = sink ? *sink : -kInf, sum = 0.0f;
    for (const Part& part : parts)
      if (part.maximum > maximum) maximum = part.maximum;
    const float base = maximum == -kInf ? 0.0f : maximum;
    for (const Part& part : parts) {
      if (part.sum == 0) continue;
      const float weight = std::exp2((part.maximum - base) * kLog2e);
      sum += weight * part.sum;
      axpy(out, weight, part.out, p.a.value_dim);
    }
    if (sink && *sink != -kInf) sum += std::exp(*sink - base);
    for (Index c = 0; c < p.a.value_dim; ++c) out[c] = sum == 0 ? 0.0f : out[c] / sum;
    return base + std::log(sum);
  }
};

template <class P>
class Split {
 public:
  static void run(const Problem& p) {
    for (Index b = 0; b < p.a.batch; ++b) {
      const Sequence s = P::sequence(p, b);
      for (Index n = 0; n < P::blocks(p, s); ++n) Split(p, s, P::block(p, s, n)).block();
      for (Index h = 0; h < p.a.heads; ++h)
        for (Index i = s.queries; i < s.query_rows; ++i) write_empty_row<P>(p, s, h, i);
    }
  }

 private:
  const Problem& p;
  const Sequence& s;
  const Index kv, begin, count, dim, value_dim;
  Buffer q;
  std::vector<char> seen;

  Split(const Problem& problem, const Sequence& span, typename P::Block block)
      : p(problem),
        s(span),
        kv(block.kv),
        begin(block.begin),
        count(block.end - block.begin),
        dim(p.a.dim),
        value_dim(p.a.value_dim),
        q(floats(count * dim)),
        seen(place(count), 0) {
    for (Index r = 0; r < count; ++r)
      p.query.load_row(&q[place(r * dim)], s.place, P::head_of(p, kv, begin + r),
                       s.first_query + P::query_of(p, begin + r), dim);
  }

  void block() {
    const Index splits = P::splits(p, s);
    Buffer out = floats(splits * count * value_dim), maximum = floats(splits * count, -kInf),
           sum = floats(splits * count);
    const Range reach = P::template reach<P>(p, s, begin, begin + count);
    for (Index n = 0; n < splits; ++n) {
      const Range keys = P::split(s, n, splits);
      if (keys.end <= reach.begin || keys.begin >= reach.end) continue;
      part(keys, reach, &out[place(n * count * value_dim)], &maximum[place(n * count)], &sum[place(n * count)]);
    }
    for (Index r = 0; r < count; ++r) {
      const Index h = P::head_of(p, kv, begin + r), i = P::query_of(p, begin + r);
      if (!seen[place(r)]) {
        write_empty_row<P>(p, s, h, i);
        continue;
      }
      std::vector<typename P::Part> parts;
      for (Index n = 0; n < splits; ++n)
        parts.push_back(
            {&out[place((n * count + r) * value_dim)], maximum[place(n * count + r)], sum[place(n * count + r)]});
      Buffer row = floats(value_dim);
      const float sink = p.sink ? P::sink_of_row(p, kv, begin + r) : 0.0f;
      const float merged = P::merge(p, parts, p.sink ? &sink : nullptr, row.data());
      for (float& x : row) x *= p.keep_factor();
      p.out.store_row(row.data(), s.place, h, s.first_query + i, value_dim);
      p.log_sum_exp.store(p.log_sum_exp.offset(s.place, h, s.first_query + i), merged);
    }
  }

  /// One split.
  void part(const Range& keys, const Range& reach, float* out, float* maximum, float* sum) {
    Buffer k = floats(P::kKeys * dim), v = floats(P::kKeys * value_dim), w = floats(P::kKeys);
    std::vector<char> shown(place(P::kKeys));
    const float scale = P::scale(p);
    for (Index j0 = keys.begin; j0 < keys.end; j0 += P::kKeys) {
      const Index n = std::min(P::kKeys, keys.end - j0);
      if (j0 + n <= reach.begin || j0 >= reach.end) continue;
      for (Index j = 0; j < n; ++j) {
        p.key.load_row(&k[place(j * dim)], P::key_slot(p, s), kv, s.first_key + j0 + j, dim);
        p.value.load_row(&v[place(j * value_dim)], P::key_slot(p, s), kv, s.first_key + j0 + j, value_dim);
      }
      for (Index r = 0; r < count; ++r) {
        const Index h = P::head_of(p, kv, begin + r), i = P::query_of(p, begin + r);
        float high = maximum[r];
        bool any = false;
        for (Index j = 0; j < n; ++j) {
          shown[place(j)] = P::template shown<P>(p, s, kv, begin + r, j0 + j);
          if (!shown[place(j)]) continue;
          any = true;
          w[place(j)] = score<P>(p, s, h, i, j0 + j, scale * dot(&q[place(r * dim)], &k[place(j * dim)], dim));
          if (w[place(j)] > high) high = w[place(j)];
        }
        if (!any) continue;
        seen[place(r)] = 1;
        const float base = high == -kInf ? 0.0f : high;
        float* o = out + r * value_dim;
        if (high > maximum[r] && maximum[r] != -kInf) {
          const float shrink = std::exp2((maximum[r] - base) * kLog2e);
          sum[r] *= shrink;
          for (Index c = 0; c < value_dim; ++c) o[c] = P::accumulated(p, o[c] * shrink);
        }
        maximum[r] = high;
        for (Index j = 0; j < n; ++j) {
          if (!shown[place(j)]) continue;
          const float weight = std::exp2((w[place(j)] - base) * kLog2e);
          sum[r] += weight;
          if (p.a.dropout > 0 && !P::kept_in_split(p, s, h, i, j0 + j, keys.begin)) continue;
          for (Index c = 0; c < value_dim; ++c) o[c] = P::accumulated(p, o[c] + weight * v[place(j * value_dim + c)]);
        }
      }
    }
  }
};

}  // namespace attestone::inline mutants::pipelines
