// SPDX-License-Identifier: Apache-2.0
// The split-KV host: what a fault may change, its schedule, and a score. The schedule deals the blocks of 64 keys of
// all sequences and kv heads out to 8 workers; where a worker's share ends within a sequence, the sequence is split.
#pragma once

#include <string_view>

#include "mutants/hosts/row_panels/bias_sums.hpp"

namespace attestone::inline mutants::row_panels {

class SplitKvRules {
 public:
  /// The arithmetic that the host declares.
  static constexpr std::string_view numerics = "merge.form=rescaled_sums merge.parts=8";

  SplitKvRules() = default;
  SplitKvRules(const SplitKvRules&) = delete;
  SplitKvRules& operator=(const SplitKvRules&) = delete;
  virtual ~SplitKvRules() = default;

 protected:
  static constexpr Int kBlockKeys = 64, kWorkers = 8, kTileRows = 32;

  struct Work {
    Int sequence, kv_head;
    Range keys;
    Int part;  ///< of its sequence and kv head, in order
  };
  /// One of the packed rows of a kv head.
  struct Row {
    Int head, query;
    Range keys;
    float slope;
    Int position;  ///< among the keys, for distances
  };
  struct Score {
    float value, tanh;
    bool visible;
  };

  virtual std::vector<Work> plan(const RowCall& call) const { return schedule(call); }
  /// Keys ahead of the first query: its place among them.
  virtual Int mask_offset(const RowCall& /*call*/, const Sequence& s) const { return s.keys - s.queries; }
  virtual void place_alibi(const RowCall& call, const Sequence& s, Int /*kv_head*/, Int /*m*/, Row& row) const {
    row.slope = call.slopes.get(row.head);
    row.position = row.query + s.keys - s.queries;
  }
  virtual Int key_offset(const RowCall& call, const Sequence& s, Int kv_head, Int j) const {
    return call.key.offset(s.place, kv_head, s.first_key + j);
  }
  virtual float query_times_key(const RowCall& /*call*/, const float* query, const float* key, Int n) const {
    return dot_product(query, key, n);
  }
  /// The head whose bytes of the mask are read.
  virtual Int mask_head(const RowCall& /*call*/, Int head) const { return head; }
  /// True if a part begins with the sink as an entry.
  virtual bool begins_with_sink(const Work& work) const { return work.part == 0; }
  /// The largest of the visible scores of a block; -infinity without one.
  virtual float block_maximum(const RowCall& /*call*/, const Floats& scores, const std::vector<char>& visible,
                              Int count) const {
    float maximum = minus_infinity;
    for (std::size_t n = 0; n < at(count); ++n)
      if (visible[n] && scores[n] > maximum) maximum = scores[n];
    return maximum;
  }
  /// The running maximum behind a block.
  virtual float updated_maximum(float before, float of_block) const { return of_block > before ? of_block : before; }
  virtual float merge_weight(float of_part, float of_all) const { return std::exp(of_part - of_all); }
  /// Before the gradients of a sequence are added to those of the bias.
  virtual void begin_bias_gradient(BiasSums& /*dbias*/) const {}
  /// When a thread has made dK and dV of a query head; they are added to those of the kv head when all threads have.
  virtual void head_done(Floats& /*of_head*/, Floats& /*of_kv_head*/) const {}

  static float dot_product(const float* x, const float* y, Int n) {
    float sums[4] = {};
    Int c = 0;
    for (; c + 4 <= n; c += 4)
      for (int lane = 0; lane < 4; ++lane) sums[lane] += x[c + lane] * y[c + lane];
    float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; c < n; ++c) sum += x[c] * y[c];
    return sum;
  }

  static std::vector<Work> schedule(const RowCall& call) {
    Int total = 0;
    for (const Sequence& s : call.sequences) total += call.a.kv_heads * steps_of(s.keys, kBlockKeys);
    const Int payload = std::max<Int>(1, steps_of(total, kWorkers));
    std::vector<Work> work;
    Int room = payload;
    for (std::size_t b = 0; b < call.sequences.size(); ++b)
      for (Int kv_head = 0; kv_head < call.a.kv_heads; ++kv_head) {
        const Int sequence = static_cast<Int>(b), keys = call.sequences[b].keys, blocks = steps_of(keys, kBlockKeys);
        if (blocks == 0) work.push_back({sequence, kv_head, {0, 0}, 0});
        for (Int block = 0, part = 0; block < blocks; ++part) {
          const Int taken = std::min(room, blocks - block);
          work.push_back({sequence, kv_head, {block * kBlockKeys, std::min(keys, (block + taken) * kBlockKeys)}, part});
          block += taken;
          room -= taken;
          if (room == 0) room = payload;
        }
      }
    return work;
  }

  Row row_of(const RowCall& call, const Sequence& s, Int kv_head, Int m) const {
    Row row{kv_head * call.group + m / s.queries, m % s.queries, {}, 0, 0};
    row.keys = call.band.keys(row.query + mask_offset(call, s), s.keys);
    if (call.slopes) place_alibi(call, s, kv_head, m, row);
    return row;
  }

  Score score_of(const RowCall& call, const Sequence& s, const Row& row, Int j, float dot) const {
    if (j < row.keys.begin || j >= row.keys.end) return {0, 0, false};
    if (!call.byte_visible(s, mask_head(call, row.head), row.query, j)) return {0, 0, false};
    float bias = 0;
    if (call.bias) {
      bias = call.bias_at(s, row.head, row.query, j);
      if (bias == minus_infinity) return {0, 0, false};
    } else if (call.slopes) {
      bias = -row.slope * static_cast<float>(std::abs(row.position - j));
    }
    float score = dot * call.scale(), tanh = 0;
    if (call.softcap() > 0) {
      tanh = std::tanh(score / call.softcap());
      score = call.softcap() * tanh;
    }
    return {score + bias, tanh, true};
  }

  void load_keys(const RowCall& call, const Sequence& s, Int kv_head, Range keys, Floats& to) const {
    const Int dim = call.a.dim;
    to.resize(at((keys.end - keys.begin) * dim));
    for (Int j = keys.begin; j < keys.end; ++j)
      call.key.load_row(to.data() + (j - keys.begin) * dim, key_offset(call, s, kv_head, j), dim);
  }
  static void load_values(const RowCall& call, const Sequence& s, Int kv_head, Range keys, Floats& to) {
    const Int dim = call.a.value_dim;
    to.resize(at((keys.end - keys.begin) * dim));
    for (Int j = keys.begin; j < keys.end; ++j)
      call.value.load_row(to.data() + (j - keys.begin) * dim, call.value.offset(s.place, kv_head, s.first_key + j),
                          dim);
  }
};

}  // namespace attestone::inline mutants::row_panels
