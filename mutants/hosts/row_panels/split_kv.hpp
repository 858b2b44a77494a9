// SPDX-License-Identifier: Apache-2.0
// The split-KV host; its backward pass is not fused: it materialises P of one query head after the other, the heads of
// a group by several threads where the call asks for them.
#pragma once

#include <thread>

#include "mutants/hosts/row_panels/split_kv_forward.hpp"

namespace attestone::inline mutants::row_panels {

class SplitKv : public SplitKvForward {
 public:
  static Int workspace(const attestone_args& /*args*/) { return 0; }

  void backward(const attestone_args& args) const {
    const RowCall call(args);
    BiasSums dbias(call);
    Floats dsink(at(args.heads));
    for (const Sequence& s : call.sequences) {
      begin_bias_gradient(dbias);
      for (Int kv_head = 0; kv_head < args.kv_heads; ++kv_head) group(call, s, kv_head, dbias, dsink);
    }
    dbias.store();
    for (Int h = 0; call.dsink && h < args.heads; ++h) call.dsink.put(dsink[at(h)], h);
    call.finish_padding_backward();
  }

 private:
  /// K and V of a kv head, and the sums of their gradients.
  struct Shared {
    Floats key, value, dkey, dvalue;
  };
  /// Intermediate results and gradients of a query head.
  struct HeadGradient {
    Floats weights, score, cap_slope;  ///< P; dS before the softcap; the softcap's derivative
    std::vector<char> visible;
    Floats query, dout, delta;
    Floats dquery, dkey, dvalue;
    float dsink = 0;
  };

  void group(const RowCall& call, const Sequence& s, Int kv_head, BiasSums& dbias, Floats& dsink) const {
    Shared shared;
    load_keys(call, s, kv_head, {0, s.keys}, shared.key);
    load_values(call, s, kv_head, {0, s.keys}, shared.value);
    shared.dkey.assign(shared.key.size(), 0.0f);
    shared.dvalue.assign(shared.value.size(), 0.0f);
    const Int threads = std::clamp<Int>(call.a.threads, 1, std::min<Int>(call.group, 8));
    for (Int first = 0; first < call.group; first += threads) {
      std::vector<HeadGradient> heads(at(std::min(threads, call.group - first)));
      const auto run = [&](std::size_t n) {
        const Int h = kv_head * call.group + first + static_cast<Int>(n);
        head(call, s, kv_head, h, shared, heads[n]);
        head_done(heads[n].dkey, shared.dkey);
        head_done(heads[n].dvalue, shared.dvalue);
      };
      std::vector<std::thread> others;
      for (std::size_t n = 1; n < heads.size(); ++n) others.emplace_back(run, n);
      run(0);
      for (std::thread& other : others) other.join();
      // In the order of heads, so that no bit depends on the number of threads.
      for (std::size_t n = 0; n < heads.size(); ++n) {
        const Int h = kv_head * call.group + first + static_cast<Int>(n);
        add(heads[n].dkey, shared.dkey);
        add(heads[n].dvalue, shared.dvalue);
        dsink[at(h)] += heads[n].dsink;
        store_of_head(call, s, h, heads[n], dbias);
      }
    }
    for (Int j = 0; j < s.keys; ++j) {
      for (Int c = 0; call.dkey && c < call.a.dim; ++c)
        call.dkey.put(call.scale() * shared.dkey[at(j * call.a.dim + c)], s.place, kv_head, s.first_key + j, c);
      for (Int c = 0; call.dvalue && c < call.a.value_dim; ++c)
        call.dvalue.put(shared.dvalue[at(j * call.a.value_dim + c)], s.place, kv_head, s.first_key + j, c);
    }
  }

  static void add(const Floats& part, Floats& to) {
    for (std::size_t n = 0; n < part.size(); ++n) to[n] += part[n];
  }

  void head(const RowCall& call, const Sequence& s, Int kv_head, Int h, const Shared& shared, HeadGradient& to) const {
    to.weights.assign(at(s.queries * s.keys), 0.0f);
    to.score.assign(to.weights.size(), 0.0f);
    to.cap_slope.assign(to.weights.size(), 1.0f);
    to.visible.assign(to.weights.size(), 0);
    to.query.resize(at(s.queries * call.a.dim));
    to.dout.resize(at(s.queries * call.a.value_dim));
    to.delta.assign(at(s.queries), 0.0f);
    to.dquery.assign(to.query.size(), 0.0f);
    to.dkey.assign(shared.key.size(), 0.0f);
    to.dvalue.assign(shared.value.size(), 0.0f);
    for (Int i = 0; i < s.queries; ++i) weigh(call, s, kv_head, h, i, shared, to);
    each_visible(s, to, [&](Int i, Int j) { value_and_score(call, s, h, i, j, shared, to); });
    each_visible(s, to, [&](Int i, Int j) { query_and_key(call, s, i, j, shared, to); });
  }

  template <class Visit>
  static void each_visible(const Sequence& s, const HeadGradient& of, const Visit& visit) {
    for (Int i = 0; i < s.queries; ++i)
      for (Int j = 0; j < s.keys; ++j)
        if (of.visible[at(i * s.keys + j)]) visit(i, j);
  }

  /// P = e^(S - L) of a row, and delta.
  void weigh(const RowCall& call, const Sequence& s, Int kv_head, Int h, Int i, const Shared& shared,
             HeadGradient& to) const {
    const Int dim = call.a.dim, value_dim = call.a.value_dim;
    const Row row = row_of(call, s, kv_head, (h - kv_head * call.group) * s.queries + i);
    call.query.load_row(to.query.data() + i * dim, call.query.offset(s.place, h, s.first_query + i), dim);
    call.dout.load_row(to.dout.data() + i * value_dim, call.dout.offset(s.place, h, s.first_query + i), value_dim);
    for (Int c = 0; c < value_dim; ++c)
      to.delta[at(i)] += to.dout[at(i * value_dim + c)] * call.out.get(s.place, h, s.first_query + i, c);
    const float lse = call.log_sum_exp.load(call.lse_offset(s, h, i));
    for (Int j = row.keys.begin; j < row.keys.end; ++j) {
      const std::size_t pair = at(i * s.keys + j);
      const float dot = query_times_key(call, to.query.data() + i * dim, shared.key.data() + j * dim, dim);
      const Score score = score_of(call, s, row, j, dot);
      to.visible[pair] = score.visible;
      if (!score.visible) continue;
      to.weights[pair] = std::exp(score.value - lse);
      if (call.softcap() > 0) to.cap_slope[pair] = 1 - score.tanh * score.tanh;
    }
    const float sink = call.sink_of(h);
    if (sink != minus_infinity) to.dsink -= std::exp(sink - lse) * to.delta[at(i)];
  }

  /// dV += P^T dO, dP = dO V^T, dS = P (dP - delta).
  static void value_and_score(const RowCall& call, const Sequence& s, Int h, Int i, Int j, const Shared& shared,
                              HeadGradient& to) {
    const Int value_dim = call.a.value_dim;
    const std::size_t pair = at(i * s.keys + j);
    const float* gradient = to.dout.data() + i * value_dim;
    float dp = 0;
    if (call.kept(s.number, h, i, j)) {
      const float p = rounded(to.weights[pair], call.input) * call.keep_factor();
      for (Int c = 0; c < value_dim; ++c) to.dvalue[at(j * value_dim + c)] += p * gradient[c];
      dp = call.keep_factor() * dot_product(gradient, shared.value.data() + j * value_dim, value_dim);
    }
    to.score[pair] = to.weights[pair] * (dp - to.delta[at(i)]);
  }

  /// dQ = dS K, dK += dS^T Q.
  static void query_and_key(const RowCall& call, const Sequence& s, Int i, Int j, const Shared& shared,
                            HeadGradient& to) {
    const Int dim = call.a.dim;
    const std::size_t pair = at(i * s.keys + j);
    const float ds = rounded(to.score[pair] * to.cap_slope[pair], call.input);
    for (Int c = 0; c < dim; ++c) {
      to.dquery[at(i * dim + c)] += ds * shared.key[at(j * dim + c)];
      to.dkey[at(j * dim + c)] += ds * to.query[at(i * dim + c)];
    }
  }

  static void store_of_head(const RowCall& call, const Sequence& s, Int h, const HeadGradient& of, BiasSums& dbias) {
    if (dbias.wanted()) each_visible(s, of, [&](Int i, Int j) { dbias.add(s, h, i, j, of.score[at(i * s.keys + j)]); });
    for (Int i = 0; call.dquery && i < s.queries; ++i)
      for (Int c = 0; c < call.a.dim; ++c)
        call.dquery.put(call.scale() * of.dquery[at(i * call.a.dim + c)], s.place, h, s.first_query + i, c);
  }
};

}  // namespace attestone::inline mutants::row_panels
