// SPDX-License-Identifier: Apache-2.0
// The row-panel host; its backward pass meets each strip of keys once: dK and dV stay with the strip, and what the
// strip gives to dQ is a partial sum in the workspace, reduced at the end.
#pragma once

#include "mutants/hosts/row_panels/row_panel_forward.hpp"

namespace attestone::inline mutants::row_panels {

class RowPanel : public RowPanelForward {
 public:
  Int workspace(const attestone_args& args) const {
    if (!args.backward) return 0;
    const Int group = args.heads / std::max<Int>(args.kv_heads, 1);
    const Int partials = std::max<Int>(1, steps_of(args.keys, backward_strip_keys()));
    return (args.heads * delta_rows(args) + partials * group * args.queries * args.dim) *
           static_cast<Int>(sizeof(float));
  }

  void backward(const attestone_args& args) const {
    const RowCall call(args);
    Pass pass(call, dout_of(call));
    pass.delta = static_cast<float*>(args.workspace);
    pass.partials = pass.delta + args.heads * delta_rows(args);
    for (const Sequence& s : call.sequences)
      for (Int h = 0; h < args.heads; ++h)
        for (Int i = 0; i < s.queries; ++i) delta_of(pass, s, h)[i] = needs_delta(call) ? delta(pass, s, h, i) : 0.0f;
    for (const Sequence& s : call.sequences)
      for (Int kv_head = 0; kv_head < args.kv_heads; ++kv_head) {
        load(pass, s, kv_head);
        const Int strips = steps_of(s.keys, backward_strip_keys());
        for (Int n = 0; n < strips; ++n) strip(pass, s, kv_head, n);
        if (call.dquery) reduce(pass, s, kv_head, strips);
      }
    pass.dbias.store();
    for (Int h = 0; call.dsink && h < args.heads; ++h) call.dsink.put(pass.dsink[at(h)], h);
    call.finish_padding_backward();
  }

 private:
  /// The state of a backward call.
  struct Pass {
    Pass(const RowCall& c, const Tensor& gradient) : call(c), dout(gradient), dbias(c), dsink(at(c.a.heads)) {}
    const RowCall& call;
    Tensor dout;
    float *delta = nullptr, *partials = nullptr;  ///< in the workspace
    BiasSums dbias;
    Floats dsink;
    Operands operands;                          // of a kv head, like what follows
    Floats dout_rows, lse, dots, dkey, dvalue;  // dK and dV are those of a strip
  };

  Int delta_rows(const attestone_args& args) const {
    return args.query_starts.ndim != 0 ? round_up(args.query.shape[2], block_rows()) + (args.batch + 1) * block_rows()
                                       : args.batch * round_up(args.queries, block_rows());
  }
  float* delta_of(const Pass& pass, const Sequence& s, Int h) const {
    return pass.delta + h * delta_rows(pass.call.a) + delta_offset(pass.call, s);
  }
  float delta(const Pass& pass, const Sequence& s, Int h, Int i) const {
    float sum = 0;
    for (Int c = 0; c < delta_channels(pass.call); ++c)
      sum += pass.dout.get(s.place, h, s.first_query + i, c) * pass.call.out.get(s.place, h, s.first_query + i, c);
    return sum;
  }

  void load(Pass& pass, const Sequence& s, Int kv_head) const {
    const RowCall& call = pass.call;
    const Int all = call.group * s.queries, value_dim = call.a.value_dim;
    pack(call, s, kv_head, pass.operands);
    pass.dots.resize(at(backward_strip_keys()));
    pass.dout_rows.resize(at(all * value_dim));
    pass.lse.resize(at(all));
    for (Int m = 0; m < all; ++m) {
      const Int head = kv_head * call.group + m / s.queries, query = m % s.queries;
      pass.dout.load_row(pass.dout_rows.data() + m * value_dim, pass.dout.offset(s.place, head, s.first_query + query),
                         value_dim);
      const float lse = pass.lse[at(m)] = call.log_sum_exp.load(call.lse_offset(s, head, query));
      if (call.dsink && call.sink_of(head) != minus_infinity)
        pass.dsink[at(head)] -= std::exp(call.sink_of(head) - lse) * delta_of(pass, s, head)[query];
    }
  }

  void strip(Pass& pass, const Sequence& s, Int kv_head, Int n) const {
    const RowCall& call = pass.call;
    const Int dim = call.a.dim, value_dim = call.a.value_dim, all = call.group * s.queries;
    const Range keys{n * backward_strip_keys(), std::min(s.keys, (n + 1) * backward_strip_keys())};
    pass.dkey.assign(at((keys.end - keys.begin) * dim), 0.0f);
    pass.dvalue.assign(at((keys.end - keys.begin) * value_dim), 0.0f);
    for (Int first = 0; first < all; first += block_rows()) {
      const Int last = std::min(all, first + block_rows());
      float* partial = pass.partials + (n * all + first) * dim;
      const std::vector<Row> rows = rows_of(call, s, kv_head, first, last);
      const Range block = block_keys(rows), met{std::max(keys.begin, block.begin), std::min(keys.end, block.end)};
      if (met.empty()) {
        skipped_partial(partial, (last - first) * dim);
        continue;
      }
      for (Int m = first; m < last; ++m, partial += dim) row(pass, s, rows[at(m - first)], m, keys.begin, met, partial);
    }
    for (Int j = keys.begin; j < keys.end; ++j) {
      for (Int c = 0; call.dkey && c < dim; ++c)
        call.dkey.put(call.scale() * pass.dkey[at((j - keys.begin) * dim + c)], s.place, kv_head, s.first_key + j, c);
      for (Int c = 0; call.dvalue && c < value_dim; ++c)
        call.dvalue.put(call.keep_factor() * pass.dvalue[at((j - keys.begin) * value_dim + c)], s.place, kv_head,
                        s.first_key + j, c);
    }
  }

  /// Adds packed row m's gradients to the keys of a strip that begins at `begin`, and to its own partial sum of dQ.
  void row(Pass& pass, const Sequence& s, const Row& row, Int m, Int begin, Range met, float* partial) const {
    const RowCall& call = pass.call;
    const Int dim = call.a.dim, value_dim = call.a.value_dim;
    std::fill(partial, partial + dim, 0.0f);
    const Range keys{std::max(met.begin, row.keys.begin), std::min(met.end, row.keys.end)};
    if (keys.empty()) return;
    const float* q = pass.operands.query.data() + m * dim;
    const float* gradient = pass.dout_rows.data() + m * value_dim;
    const float delta = delta_of(pass, s, row.head)[row.query];
    products(q, pass.operands.panels.data(), dim, keys, pass.dots.data());
    for (Int j = keys.begin; j < keys.end; ++j) {
      const Score score = score_of(call, s, row, j, pass.dots[at(j - keys.begin)]);
      if (!score.visible) continue;
      const float p = weight(score.value, pass.lse[at(m)]);
      float dp = 0;
      if (call.kept(s.number, row.head, row.query, dropout_key(j, begin))) {
        const float* v = pass.operands.value.data() + j * value_dim;
        for (Int c = 0; c < value_dim; ++c) dp += gradient[c] * v[c];
        dp *= call.keep_factor();
        const float cast = rounded(p, call.input);
        float* dv = pass.dvalue.data() + (j - begin) * value_dim;
        for (Int c = 0; c < value_dim; ++c) dv[c] += cast * gradient[c];
      }
      float ds = p * (dp - delta);
      if (pass.dbias.wanted()) pass.dbias.add(s, row.head, row.query, j, ds);
      if (call.softcap() > 0) ds *= cap_slope(call, score);
      ds = rounded(ds, call.input);
      float* dk = pass.dkey.data() + (j - begin) * dim;
      const float* k = pass.operands.panels.data() + lane_of(j, dim);
      for (Int c = 0; c < dim; ++c) dk[c] += ds * q[c];
      for (Int c = 0; c < dim; ++c) partial[c] += ds * k[c * kLanes];
    }
  }

  /// dQ: the partial sums of all strips.
  static void reduce(const Pass& pass, const Sequence& s, Int kv_head, Int strips) {
    const RowCall& call = pass.call;
    const Int dim = call.a.dim, all = call.group * s.queries;
    for (Int m = 0; m < all; ++m)
      for (Int c = 0; c < dim; ++c) {
        float sum = 0;
        for (Int n = 0; n < strips; ++n) sum += pass.partials[(n * all + m) * dim + c];
        call.dquery.put(call.scale() * sum, s.place, kv_head * call.group + m / s.queries,
                        s.first_query + m % s.queries, c);
      }
  }
};

}  // namespace attestone::inline mutants::row_panels
