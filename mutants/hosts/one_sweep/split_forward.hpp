// SPDX-License-Identifier: Apache-2.0
// Host 2: keys are split among parts that are merged by their log-sum-exp. Few queries (decoding) of all query heads
// that share a kv head are packed into the rows of one group, and long keys are split; many queries get one part.
#pragma once
#include "mutants/hosts/one_sweep/call.hpp"

namespace attestone::inline mutants::one_sweep {

constexpr int64_t kBlock = 64;          // keys are split at multiples of it
constexpr int64_t kDecodeQueries = 16;  // as many queries at most take the packed, split route
constexpr int64_t kMaxSplits = 8;

/// The state of a row after one part of the keys: maximum, sum of weights, sum of weighted values.
struct Part {
  float m = -kInfinity, l = 0;
  std::vector<float> o;
  bool empty = true;  // no key in reach
};

class SplitForward : public Forward {
 public:
  void run(const Call& c) override {
    call = &c;
    const int64_t group = c.a.heads / c.a.kv_heads;
    const int64_t splits = number_of_splits();
    for (int64_t b = 0; b < c.a.batch; ++b)
      for (int64_t kv_head = 0; kv_head < c.a.kv_heads; ++kv_head)
        for (int64_t g = 0; g < group; ++g) {
          const Unit u = c.unit(b, kv_head * group + g);
          for (int64_t i = 0; i < c.rows_of(b); ++i) {
            if (i >= u.queries)
              c.write_empty(b, u.h, i);
            else
              row(u, i, splits, {i * group + g, group});
          }
        }
  }

 protected:
  struct PackedRow {
    int64_t index, group;  // the row's number in its group of query heads; how many heads that are
  };

  const Call* call = nullptr;

  bool decoding() const { return call->a.queries <= kDecodeQueries; }
  virtual int64_t number_of_splits() const {
    if (!decoding()) return 1;
    const int64_t blocks = (call->a.keys + kBlock - 1) / kBlock;
    return std::clamp<int64_t>(blocks / 2, 1, kMaxSplits);
  }
  virtual int64_t keys_per_split(const Unit& u, int64_t splits) const {
    const int64_t blocks = (u.keys + kBlock - 1) / kBlock;
    return (blocks + splits - 1) / splits * kBlock;
  }

  // Scores.
  virtual int64_t query_row(const Unit&, int64_t i) const { return i; }
  virtual float slope(const Unit& u) const { return call->slopes.get(u.h); }
  virtual float score(const Unit& u, int64_t i, int64_t j, const float* q) const {
    float s = 0;
    for (int64_t d = 0; d < call->a.dim; ++d) s += q[d] * call->key.get(u.b, u.kv_head, j, d);
    s = call->softcapped(s * call->scale);
    if (call->slopes) s += call->alibi(slope(u), i + u.shift, j);
    if (call->bias) s += call->bias.get(u.b, u.h, i, j);
    return s;
  }

  /// Part `split` before its keys: the sink stands in the first one.
  virtual Part seed(const Unit& u, int64_t split, const std::vector<Part>&, bool /*empty*/) const {
    Part part;
    part.o.assign(static_cast<size_t>(call->a.value_dim), 0.0f);
    const float z = call->sink(u.h);
    if (split == 0 && z != -kInfinity) {
      part.m = z > -kInfinity ? z : -kInfinity;
      part.l = z == z ? 1 : z;
      if (z == kInfinity) part.l = std::numeric_limits<float>::quiet_NaN();
    }
    return part;
  }

  virtual void add_keys(const Unit& u, int64_t i, int64_t first, int64_t last, Part& part) const {
    std::vector<float> q(static_cast<size_t>(call->a.dim)), s(static_cast<size_t>(last - first));
    std::vector<uint8_t> seen(s.size());
    for (int64_t d = 0; d < call->a.dim; ++d) q[static_cast<size_t>(d)] = call->query.get(u.b, u.h, query_row(u, i), d);
    float m = part.m;
    for (int64_t j = first; j < last; ++j) {
      const auto n = static_cast<size_t>(j - first);
      seen[n] = call->visible(u, i, j) && !(call->bias && call->bias.get(u.b, u.h, i, j) == -kInfinity);
      if (!seen[n]) continue;
      s[n] = score(u, i, j, q.data());
      if (s[n] > m) m = s[n];
    }
    const float m_used = m == -kInfinity ? 0 : m;
    const float alpha = m == part.m ? 1 : std::exp(part.m - m_used);
    part.m = m;
    part.l *= alpha;
    for (int64_t j = first; j < last; ++j) {
      const auto n = static_cast<size_t>(j - first);
      if (!seen[n]) continue;
      const float p = std::exp(s[n] - m_used);
      part.l += p;
      for (int64_t d = 0; d < call->a.value_dim; ++d)
        part.o[static_cast<size_t>(d)] += p * call->value.get(u.b, u.kv_head, j, d);
    }
  }

  static float log_sum_exp(const Part& part) { return (part.m == -kInfinity ? 0 : part.m) + std::log(part.l); }

  /// Divides the sums of a part, as it is put into memory between the two kernels.
  virtual void close(Part& part, int64_t /*splits*/) const {
    if (part.l == 0) return;
    for (float& x : part.o) x /= part.l;
  }
  /// The outputs of all parts, and their log-sum-exps, in one.
  virtual float merge(const std::vector<Part>& parts, std::vector<float>& o) const {
    float m = -kInfinity, sum = 0;
    for (const Part& part : parts)
      if (log_sum_exp(part) > m) m = log_sum_exp(part);
    const float m_used = m == -kInfinity ? 0 : m;
    for (const Part& part : parts) {
      if (part.l == 0) continue;
      const float w = std::exp(log_sum_exp(part) - m_used);
      sum += w;
      for (size_t d = 0; d < o.size(); ++d) o[d] += w * part.o[d];
    }
    for (float& x : o) x = sum == 0 ? 0 : x / sum;
    return m_used + std::log(sum);
  }
  virtual float final_log_sum_exp(float x, int64_t /*splits*/) const { return x; }
  virtual void write_log_sum_exp(const Unit& u, int64_t i, const PackedRow&, float x) const {
    call->log_sum_exp.set(x, u.b, u.h, i);
  }

  virtual void row(const Unit& u, int64_t i, int64_t splits, const PackedRow& packed) {
    const KeyRange reach = call->key_range(u, i, i + 1);
    const int64_t size = std::max<int64_t>(1, keys_per_split(u, splits));
    std::vector<Part> parts;
    for (int64_t s = 0; s < splits; ++s) {
      const int64_t first = std::max(reach.first, s * size), last = std::min({reach.last, (s + 1) * size, u.keys});
      Part part = seed(u, s, parts, first >= last);
      part.empty = first >= last;
      if (!part.empty) add_keys(u, i, first, last, part);
      close(part, splits);
      parts.push_back(std::move(part));
    }
    std::vector<float> o(static_cast<size_t>(call->a.value_dim), 0.0f);
    const float lse = merge(parts, o);
    for (int64_t d = 0; d < call->a.value_dim; ++d) call->out.set(o[static_cast<size_t>(d)], u.b, u.h, i, d);
    write_log_sum_exp(u, i, packed, final_log_sum_exp(lse, splits));
  }
};

}  // namespace attestone::inline mutants::one_sweep
