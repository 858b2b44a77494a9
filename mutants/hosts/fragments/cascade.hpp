// SPDX-License-Identifier: Apache-2.0
// Host "cascade": a forward pass with a cached prefix, as chunked prefill of latent attention has it. Keys before the
// first query are the prefix, in whole pages of 16, and are answered in chunks of 128; the suffix is answered by
// itself. Every part is normalised and has its log_sum_exp; parts are merged one after the other, the sink last. Of
// heads wider than 128 the last 64 channels ("rope") are multiplied apart.
#pragma once
#include <thread>

#include "mutants/hosts/fragments/rules.hpp"

namespace attestone::inline mutants::fragments {

inline constexpr Int kPage = 16, kChunk = 128, kRope = 64;

/// The answer of some keys to one row.
struct Part {
  Floats out;
  float lse = -kInfinity;
};

class Cascade : public Rules {
 public:
  using Rules::Rules;
  static constexpr std::string_view numerics = "merge.form=late_correction merge.parts=64";

  void run() override {
    const Int items = a.batch * a.heads;
    const int count = workers(items);
    const auto work = [&](Int first) {
      for (Int n = first; n < items; n += count) head(sequence(n / a.heads), n % a.heads);
    };
    std::vector<std::thread> others;
    for (int w = 1; w < count; ++w) others.emplace_back(work, w);
    work(0);
    for (std::thread& other : others) other.join();
  }

 protected:
  static Int prefix_of(const Sequence& s) { return std::clamp<Int>(s.shift, 0, s.keys) / kPage * kPage; }
  static Int chunks(const Sequence& s) { return tiles_of(prefix_of(s), kChunk); }
  /// True if query i of a block that begins at i0 sees key j of the prefix.
  virtual bool sees_prefix(const Sequence& s, Int h, Int i, Int /*i0*/, Int j) const { return sees(s, h, i, j); }
  virtual bool sees_suffix(const Sequence& s, Int h, Int i, Int j) const { return sees(s, h, i, j); }
  /// Scaled q.k.
  float scaled_product(const float* query, const float* key) const {
    const Int rope = dim > 128 ? kRope : 0;
    return (product(query, key, dim - rope) + product(query + dim - rope, key + dim - rope, rope)) * scale();
  }
  virtual void load_key(const Sequence& s, Int kv, Int j, float* to) const {
    k.load_row(to, k.offset(s.place, kv, s.first_key + j), dim);
  }
  /// Subtracts a common vector from each key of a part; `missing` is the term that the log_sum_exp of a row lacks for
  /// it.
  virtual void prepare(const Sequence&, Int /*kv*/, Int /*j0*/, Int /*j1*/, Floats& /*keys*/) const {}
  virtual float missing(const Sequence&, Int /*h*/, Int /*j0*/, Int /*j1*/, const float* /*query*/) const { return 0; }
  static float merged_lse(float x, float y) {
    const float top = y > x ? y : x;
    if (top == -kInfinity) return x == y ? x : x + y;
    return top + std::log(std::exp(x - top) + std::exp(y - top));
  }
  static float share(float part, float all) { return part == -kInfinity ? 0.0f : std::exp(part - all); }

 private:
  void head(const Sequence& s, Int h) const {
    const Int kv = h / group;
    for (Int i0 = 0; i0 < s.query_rows; i0 += kPage) {
      const Int i1 = std::min(i0 + kPage, s.query_rows);
      std::vector<Part> rows(at(i1 - i0), Part{filled(value_dim)});
      const Int prefix = prefix_of(s);
      const Range reach = i0 < s.queries ? keys_of(s, i0, std::min(i1, s.queries)) : Range{};
      for (Int n = 0; n < chunks(s); ++n) {
        const Range chunk{n * kChunk, std::min((n + 1) * kChunk, prefix)};
        if (chunk.end > reach.begin && chunk.begin < reach.end) part(s, h, kv, i0, chunk, true, rows);
      }
      if (reach.end > prefix) part(s, h, kv, i0, {prefix, s.keys}, false, rows);
      for (Int i = i0; i < i1; ++i) store(s, h, i, rows[at(i - i0)]);
    }
  }
  /// The rows of a block meet the keys of one part.
  void part(const Sequence& s, Int h, Int kv, Int i0, Range js, bool prefix, std::vector<Part>& rows) const {
    Floats keys = filled((js.end - js.begin) * dim), query = filled(dim), value = filled(value_dim);
    for (Int j = js.begin; j < js.end; ++j) load_key(s, kv, j, &keys[at((j - js.begin) * dim)]);
    prepare(s, kv, js.begin, js.end, keys);
    for (Int i = i0; i < i0 + static_cast<Int>(rows.size()) && i < s.queries; ++i) {
      q.load_row(query.data(), q.offset(s.place, h, s.first_query + i), dim);
      Floats x = filled(js.end - js.begin, -kInfinity);
      float top = -kInfinity, sum = 0;
      for (Int j = js.begin; j < js.end; ++j) {
        if (!(prefix ? sees_prefix(s, h, i, i0, j) : sees_suffix(s, h, i, j))) continue;
        float& y = x[at(j - js.begin)];
        y = score(s, h, i, j, scaled_product(query.data(), &keys[at((j - js.begin) * dim)]));
        top = y > top ? y : top;
      }
      const float base = top == -kInfinity ? 0.0f : top;
      Part one{filled(value_dim)};
      for (Int j = js.begin; j < js.end; ++j) {
        const float w = std::exp(x[at(j - js.begin)] - base);
        if (w == 0) continue;
        sum += w;
        if (!kept(s, h, i, j)) continue;
        v.load_row(value.data(), v.offset(s.place, kv, s.first_key + j), value_dim);
        add_scaled(one.out.data(), w * keep_factor(), value.data(), value_dim);
      }
      if (sum == 0) continue;
      for (float& o : one.out) o /= sum;
      one.lse = base + std::log(sum) + missing(s, h, js.begin, js.end, query.data());
      merge(rows[at(i - i0)], one);
    }
  }
  void merge(Part& into, const Part& one) const {
    const float all = merged_lse(into.lse, one.lse), x = share(into.lse, all), y = share(one.lse, all);
    for (Int c = 0; c < value_dim; ++c) {
      const float before = into.lse == -kInfinity ? 0.0f : into.out[at(c)] * x;
      into.out[at(c)] = before + (one.lse == -kInfinity ? 0.0f : one.out[at(c)] * y);
    }
    into.lse = all;
  }
  void store(const Sequence& s, Int h, Int i, Part row) const {
    if (sink) {
      const float all = merged_lse(row.lse, sink_of(h));
      const float rest = share(row.lse, all);
      for (float& o : row.out) o = rest == 0 ? 0.0f : o * rest;
      row.lse = all;
    }
    out.store_row(row.out.data(), out.offset(s.place, h, s.first_query + i), value_dim);
    lse.store(lse.offset(s.place, h, s.first_query + i), row.lse);
  }
};

}  // namespace attestone::inline mutants::fragments
