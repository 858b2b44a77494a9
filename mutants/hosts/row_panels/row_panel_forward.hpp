// SPDX-License-Identifier: Apache-2.0
// The forward pass of the row-panel host: K of a kv head lies in panels of 8 keys, the queries of all heads of its
// group are rows of one matrix, and softmax makes several passes over the scores of a strip of keys; O is rescaled in
// between.
#pragma once

#include "mutants/hosts/row_panels/row_panel_rules.hpp"

namespace attestone::inline mutants::row_panels {

class RowPanelForward : public RowPanelRules {
 public:
  void forward(const attestone_args& args) const {
    const RowCall call(args);
    Operands operands;
    Running running;
    running.scores.resize(at(strip_keys()));
    running.visible.resize(at(strip_keys()));
    for (const Sequence& s : call.sequences)
      for (Int kv_head = 0; kv_head < args.kv_heads; ++kv_head) {
        const Int all = call.group * s.queries;
        if (all == 0) continue;
        pack(call, s, kv_head, operands);
        for (Int first = 0; first < all; first += block_rows()) {
          const std::vector<Row> rows = rows_of(call, s, kv_head, first, std::min(all, first + block_rows()));
          const Range block = block_keys(rows);
          for (std::size_t r = 0; r < rows.size(); ++r) {
            const float* query = operands.query.data() + (first + static_cast<Int>(r)) * args.dim;
            answer(call, s, rows[r], block, query, operands, running);
          }
        }
      }
    call.finish_padding_forward();
  }

 private:
  /// A row while strips go by.
  struct Running {
    Floats out, scores;  ///< O, and the scores of the strip, then its weights
    std::vector<char> visible;
    float maximum = minus_infinity, sum = 0;
    bool seen = false;
  };

  void answer(const RowCall& call, const Sequence& s, const Row& row, Range block, const float* query,
              const Operands& operands, Running& running) const {
    const Int strip = strip_keys(), strips = steps_of(s.keys, strip);
    running.out.assign(at(call.a.value_dim), 0.0f);
    running.maximum = minus_infinity;
    running.sum = 0;
    running.seen = false;
    for (Int step = 0; step < strips; ++step) {
      const Int begin = (last_strip_first() ? strips - 1 - step : step) * strip;
      const Range keys{std::max({begin, block.begin, row.keys.begin}),
                       std::min({begin + strip, block.end, row.keys.end})};
      if (keys.empty()) continue;
      products(query, operands.panels.data(), call.a.dim, keys, running.scores.data());
      if (!raise_maximum(call, s, row, keys, running)) continue;
      weigh(call, keys, running);
      if (call.out) add_values(call, s, row, keys, operands.value.data(), running);
    }
    store(call, s, row, running);
  }

  /// First pass over a strip: scores and their maximum; what earlier strips gave is rescaled. False if nothing is seen.
  bool raise_maximum(const RowCall& call, const Sequence& s, const Row& row, Range keys, Running& running) const {
    float raised = running.maximum;
    bool any = false;
    for (Int j = keys.begin; j < keys.end; ++j) {
      const std::size_t n = at(j - keys.begin);
      const Score score = score_of(call, s, row, j, running.scores[n]);
      running.visible[n] = score.visible;
      running.scores[n] = score.value;
      if (!score.visible) continue;
      any = true;
      if (score.value > raised) raised = score.value;
    }
    if (!any) return false;
    if (running.seen && raised > running.maximum) {
      const float shrink = weight(running.maximum, raised);
      running.sum *= shrink;
      for (float& x : running.out) x *= shrink;
    }
    running.maximum = raised;
    running.seen = true;
    return true;
  }

  /// Second pass: weights and their sum.
  void weigh(const RowCall& call, Range keys, Running& running) const {
    const float reference = running.maximum == minus_infinity ? 0 : running.maximum;
    for (std::size_t n = 0; n < at(keys.end - keys.begin); ++n) {
      if (!running.visible[n]) continue;
      running.scores[n] = weight(running.scores[n], reference);
      running.sum = add_to_row_sum(call, running.sum, running.scores[n]);
    }
  }

  /// Third pass: P V.
  static void add_values(const RowCall& call, const Sequence& s, const Row& row, Range keys, const float* value,
                         Running& running) {
    const Int value_dim = call.a.value_dim;
    for (Int j = keys.begin; j < keys.end; ++j) {
      const std::size_t n = at(j - keys.begin);
      if (!running.visible[n] || !call.kept(s.number, row.head, row.query, j)) continue;
      const float p = rounded(running.scores[n], call.input);
      for (Int c = 0; c < value_dim; ++c) running.out[at(c)] += p * value[j * value_dim + c];
    }
  }

  void store(const RowCall& call, const Sequence& s, const Row& row, Running& running) const {
    float log_sum_exp = row.sink, divisor = 0;
    if (running.seen) {
      if (row.sink != minus_infinity) {
        const float raised = row.sink > running.maximum ? row.sink : running.maximum;
        const float shrink = running.maximum == raised ? 1.0f : weight(running.maximum, raised);
        running.sum = running.sum * shrink + weight(row.sink, raised);
        for (float& x : running.out) x *= shrink;
        running.maximum = raised;
      }
      divisor = running.sum;
      log_sum_exp = running.maximum + std::log(running.sum);
    }
    for (Int c = 0; call.out && c < call.a.value_dim; ++c)
      call.out.put(divisor == 0 ? 0.0f : running.out[at(c)] / divisor * call.keep_factor(), s.place, row.head,
                   s.first_query + row.query, c);
    if (call.log_sum_exp) call.log_sum_exp.store(call.lse_offset(s, row.head, row.query), log_sum_exp);
  }
};

}  // namespace attestone::inline mutants::row_panels
