// SPDX-License-Identifier: Apache-2.0
// The forward pass of the split-KV host: each piece of work gives the maximum, the sum and O of its keys for all rows
// of a kv head, not normalised, in f32; a combine step merges the parts of a row.
#pragma once

#include "mutants/hosts/row_panels/split_kv_rules.hpp"

namespace attestone::inline mutants::row_panels {

class SplitKvForward : public SplitKvRules {
 public:
  void forward(const attestone_args& args) const {
    const RowCall call(args);
    const std::vector<Work> work = plan(call);
    std::vector<Part> parts;
    for (const Work& piece : work) parts.push_back(done(call, piece));
    for (std::size_t first = 0, end = 0; first < work.size(); first = end) {
      end = first + 1;
      while (end < work.size() && work[end].part != 0) ++end;
      combine(call, work[first], &parts[first], end - first);
    }
    call.finish_padding_forward();
  }

 private:
  /// A row's state in a part.
  struct State {
    float maximum = minus_infinity, sum = 0;
    bool seen = false;
  };
  struct Part {
    std::vector<State> states;
    Floats out;
  };
  /// A run of at most kBlockKeys keys, with V, and a row's scores of them.
  struct Block {
    Range keys;
    Floats key, value, scores = Floats(at(kBlockKeys));
    std::vector<char> visible = std::vector<char>(at(kBlockKeys));
  };

  Part done(const RowCall& call, const Work& work) const {
    const Sequence& s = call.sequences[at(work.sequence)];
    const Int all = call.group * s.queries, dim = call.a.dim, value_dim = call.a.value_dim;
    Part part{std::vector<State>(at(all)), Floats(at(all * value_dim))};
    std::vector<Row> rows;
    Floats query(at(all * dim));
    for (Int m = 0; m < all; ++m) {
      rows.push_back(row_of(call, s, work.kv_head, m));
      const Row& row = rows.back();
      call.query.load_row(query.data() + m * dim, call.query.offset(s.place, row.head, s.first_query + row.query), dim);
      const float sink = call.sink_of(row.head);
      if (!begins_with_sink(work) || sink == minus_infinity) continue;
      part.states[at(m)].maximum = std::isnan(sink) ? minus_infinity : sink;
      part.states[at(m)].sum = std::isnan(sink) ? sink : 1.0f;
    }
    Block block;
    const Int last = std::min(s.keys, work.keys.end);
    for (Int begin = work.keys.begin; begin < last; begin += kBlockKeys) {
      block.keys = {begin, std::min(last, begin + kBlockKeys)};
      load_keys(call, s, work.kv_head, block.keys, block.key);
      if (call.out) load_values(call, s, work.kv_head, block.keys, block.value);
      for (Int tile = 0; tile < all; tile += kTileRows) {
        const Int tile_end = std::min(all, tile + kTileRows);
        const bool needed = std::any_of(rows.begin() + tile, rows.begin() + tile_end, [&](const Row& row) {
          return row.keys.begin < block.keys.end && row.keys.end > block.keys.begin;
        });
        for (Int m = tile; needed && m < tile_end; ++m)
          meet(call, s, rows[at(m)], query.data() + m * dim, block, part.states[at(m)],
               part.out.data() + m * value_dim);
      }
    }
    return part;
  }

  /// A row meets a block of keys.
  void meet(const RowCall& call, const Sequence& s, const Row& row, const float* query, Block& block, State& state,
            float* o) const {
    const Int dim = call.a.dim, value_dim = call.a.value_dim, count = block.keys.end - block.keys.begin;
    for (Int n = 0; n < count; ++n) {
      const float dot = query_times_key(call, query, block.key.data() + n * dim, dim);
      const Score score = score_of(call, s, row, block.keys.begin + n, dot);
      block.visible[at(n)] = score.visible;
      block.scores[at(n)] = score.value;
      state.seen |= score.visible;
    }
    const float before = state.maximum;
    state.maximum = updated_maximum(before, block_maximum(call, block.scores, block.visible, count));
    const float reference = state.maximum == minus_infinity ? 0 : state.maximum;
    if (state.maximum != before) {
      const float shrink = std::exp(before - reference);
      state.sum *= shrink;
      for (Int c = 0; c < value_dim; ++c) o[c] *= shrink;
    }
    for (Int n = 0; n < count; ++n) {
      if (!block.visible[at(n)]) continue;
      const float p = std::exp(block.scores[at(n)] - reference);
      state.sum += p;
      if (!call.out || !call.kept(s.number, row.head, row.query, block.keys.begin + n)) continue;
      const float cast = rounded(p, call.input);
      const float* v = block.value.data() + n * value_dim;
      for (Int c = 0; c < value_dim; ++c) o[c] += cast * v[c];
    }
  }

  /// The parts of all rows of a kv head, and O / l.
  void combine(const RowCall& call, const Work& work, const Part* parts, std::size_t count) const {
    const Sequence& s = call.sequences[at(work.sequence)];
    const Int value_dim = call.a.value_dim;
    for (Int m = 0; m < call.group * s.queries; ++m) {
      const Int head = work.kv_head * call.group + m / s.queries, query = m % s.queries;
      float maximum = minus_infinity, sum = 0;
      bool seen = false;
      for (std::size_t n = 0; n < count; ++n) {
        seen |= parts[n].states[at(m)].seen;
        maximum = std::max(maximum, parts[n].states[at(m)].maximum);
      }
      const float reference = maximum == minus_infinity ? 0 : maximum;
      Floats total(at(value_dim));
      for (std::size_t n = 0; n < count; ++n) {
        const float share = count == 1 ? 1.0f : merge_weight(parts[n].states[at(m)].maximum, reference);
        sum += share * parts[n].states[at(m)].sum;
        for (Int c = 0; c < value_dim; ++c) total[at(c)] += share * parts[n].out[at(m * value_dim + c)];
      }
      for (Int c = 0; call.out && c < value_dim; ++c)
        call.out.put(seen && sum != 0 ? total[at(c)] / sum * call.keep_factor() : 0.0f, s.place, head,
                     s.first_query + query, c);
      if (call.log_sum_exp)
        call.log_sum_exp.store(call.lse_offset(s, head, query), seen ? maximum + std::log(sum) : call.sink_of(head));
    }
  }
};

}  // namespace attestone::inline mutants::row_panels
