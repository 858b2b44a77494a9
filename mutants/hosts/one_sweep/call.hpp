// SPDX-License-Identifier: Apache-2.0
// A call as all hosts of this room see it: rows by sequence, heads as units of work, visibility.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "mutants/hosts/reading/call.hpp"

namespace attestone::inline mutants::one_sweep {

using reading::Format;
using reading::rounded;

constexpr float kInfinity = reading::infinity;

/// A tensor whose rows are those of a sequence, also in a ragged batch, where memory counts them over all sequences.
struct Tensor : reading::Tensor {
  const attestone_tensor* starts = nullptr;

  Tensor() = default;
  explicit Tensor(const attestone_tensor& t) : reading::Tensor(t) {}
  Tensor(const attestone_tensor& t, const attestone_tensor& starts_of_rows) : reading::Tensor(t) {
    if (data && t.ndim >= 3 && t.shape[0] == 1 && starts_of_rows.data) starts = &starts_of_rows;
  }
  bool ragged() const { return starts != nullptr; }
  int64_t offset(int64_t b, int64_t h, int64_t r, int64_t c) const {
    return starts ? reading::Tensor::offset(0, h, reading::entry(*starts, b) + r, c)
                  : reading::Tensor::offset(b, h, r, c);
  }
  float get(int64_t b, int64_t h = 0, int64_t r = 0, int64_t c = 0) const { return load(offset(b, h, r, c)); }
  void set(float x, int64_t b, int64_t h = 0, int64_t r = 0, int64_t c = 0) const { store(offset(b, h, r, c), x); }
};

/// One head of one sequence.
struct Unit : reading::Sequence {
  int64_t b, h, kv_head;
};

struct KeyRange {
  int64_t first, last;  // first <= key < last
};

struct Call {
  explicit Call(const attestone_args& args)
      : a(args),
        whole(args),
        query(args.query, args.query_starts),
        key(args.key, args.key_starts),
        value(args.value, args.key_starts),
        bias(args.bias),
        sinks(args.sink),
        slopes(args.alibi_slopes),
        out(args.out, args.query_starts),
        log_sum_exp(args.log_sum_exp, args.query_starts),
        input(query.format),
        scale(whole.scale()),
        softcap(whole.softcap()) {}

  const attestone_args& a;
  reading::Call whole;
  Tensor query, key, value, bias, sinks, slopes, out, log_sum_exp;
  Format input;
  float scale, softcap;

  bool ragged() const { return whole.ragged(); }
  int64_t query_start(int64_t b) const { return reading::entry(a.query_starts, b); }
  /// How many rows of out and log_sum_exp sequence b has: those after its last exist in a padded batch, and are empty.
  int64_t rows_of(int64_t b) const { return whole.sequence(b).query_rows; }
  int64_t key_rows_of(int64_t b) const { return whole.sequence(b).key_rows; }
  int64_t units() const { return a.batch * a.heads; }
  Unit unit(int64_t b, int64_t h) const { return {whole.sequence(b), b, h, h / whole.group}; }
  bool visible(const Unit& u, int64_t i, int64_t j) const {
    return i < u.queries && j < u.keys && whole.shows(u, u.h, i, j);
  }
  /// The keys that queries q0 ... q1 - 1 can see.
  KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const {
    const reading::Range keys = whole.band.keys(q0 + u.shift, q1 - 1 + u.shift, u.keys);
    return {keys.begin, keys.end};
  }
  float sink(int64_t h) const { return whole.sink_of(h); }
  float softcapped(float s) const { return softcap > 0 ? softcap * std::tanh(s / softcap) : s; }
  float alibi(float slope, int64_t p, int64_t j) const { return -slope * static_cast<float>(std::abs(p - j)); }

  void write_empty(int64_t b, int64_t h, int64_t i) const {
    for (int64_t c = 0; c < a.value_dim; ++c) out.set(0, b, h, i, c);
    log_sum_exp.set(sink(h), b, h, i);
  }
};

/// A forward pass and a backward pass behind the door.
struct Forward {
  virtual ~Forward() = default;
  virtual void run(const Call& call) = 0;
};
struct Backward {
  virtual ~Backward() = default;
  virtual void run(const Call& call) = 0;
};

}  // namespace attestone::inline mutants::one_sweep
