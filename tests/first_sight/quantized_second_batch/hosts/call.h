// One call of the C door, seen from a kernel: extents, which keys a query sees, elements in and out.
#pragma once

#include <algorithm>
#include <cstdio>
#include <vector>

#include "backends/doors/call/kernel.h"
#include "narrow.h"

using narrow::kInf;

/// A matrix of f32, row after row.
struct Mat {
  int64_t rows = 0, cols = 0;
  std::vector<float> x;

  Mat() = default;
  Mat(int64_t r, int64_t c) : rows(r), cols(c), x(static_cast<size_t>(r * c)) {}
  float* row(int64_t r) { return x.data() + r * cols; }
  const float* row(int64_t r) const { return x.data() + r * cols; }
};

struct Span {
  int64_t from, to;  // keys from, ..., to - 1
};

struct Call {
  const attestone_args& a;
  int64_t B, H, KV, G;  // batch, heads, kv heads, query heads of one kv head
  int64_t M, N, D, E;   // queries, keys, channels of keys, channels of values
  float sigma;
  bool bf16;

  explicit Call(const attestone_args& args)
      : a(args),
        B(a.batch),
        H(a.heads),
        KV(a.kv_heads),
        G(a.heads / a.kv_heads),
        M(a.queries),
        N(a.keys),
        D(a.dim),
        E(a.value_dim),
        sigma(static_cast<float>(a.scale)),
        bf16(a.query.dtype.code == ATTESTONE_BFLOAT) {}

  /// How many queries and keys sequence b really has.
  int64_t queries_of(int64_t b) const { return length(a.query_lengths, b, M); }
  int64_t keys_of(int64_t b) const { return length(a.key_lengths, b, N); }

  /// What query i of sequence b sees.
  Span span(int64_t b, int64_t i) const {
    const int64_t keys = keys_of(b), queries = queries_of(b);
    if (i >= queries) return {0, 0};
    Span s{0, keys};
    if (a.mask_form == ATTESTONE_MASK_BAND) {
      const int64_t p = i + keys - queries;
      if (a.causal != 0) s.to = std::min(s.to, p + 1);
      if (a.window_right >= 0) s.to = std::min(s.to, p + a.window_right + 1);
      if (a.window_left >= 0) s.from = std::max(s.from, p - a.window_left);
    }
    s.to = std::max(s.to, s.from);
    return s;
  }

  /// The rows of one head as f32.
  Mat read(const attestone_tensor& t, int64_t b, int64_t h, int64_t rows, int64_t cols) const {
    Mat m(rows, cols);
    const auto* base = static_cast<const uint16_t*>(t.data) + b * t.strides[0] + h * t.strides[1];
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c) {
        const uint16_t e = base[r * t.strides[2] + c * t.strides[3]];
        m.row(r)[c] = bf16 ? narrow::read_bf16(e) : narrow::read_f16(e);
      }
    return m;
  }
  Mat queries(int64_t b, int64_t h) const { return read(a.query, b, h, queries_of(b), D); }
  Mat keys(int64_t b, int64_t kv) const { return read(a.key, b, kv, keys_of(b), D); }
  Mat values(int64_t b, int64_t kv) const { return read(a.value, b, kv, keys_of(b), E); }

  /// To the format of the inputs.
  float as_input(float x) const { return bf16 ? narrow::to_bf16(x) : narrow::to_f16(x); }
  float as_input(double x) const {
    // The detour over f32 would round twice: where it is inexact, its last place is made odd.
    auto f = static_cast<float>(x);
    if (static_cast<double>(f) != x && std::isfinite(f) && (narrow::bits_of(f) & 1) == 0)
      f = std::nextafter(f, static_cast<double>(f) < x ? kInf : -kInf);
    return as_input(f);
  }

  void put_out(int64_t b, int64_t h, int64_t i, int64_t c, float x) const {
    const attestone_tensor& t = a.out;
    if (t.data == nullptr) return;
    static_cast<uint16_t*>(t.data)[b * t.strides[0] + h * t.strides[1] + i * t.strides[2] + c * t.strides[3]] =
        bf16 ? narrow::write_bf16(x) : narrow::write_f16(x);
  }
  void put_lse(int64_t b, int64_t h, int64_t i, float x) const { put_statistic(a.log_sum_exp, b, h, i, x); }
  void put_max(int64_t b, int64_t h, int64_t i, float x) const {
    if (a.size >= sizeof(attestone_args)) put_statistic(a.max_logits, b, h, i, x);
  }

  /// The answer of a row that sees no key and no sink.
  void put_empty(int64_t b, int64_t h, int64_t i) const {
    for (int64_t c = 0; c < E; ++c) put_out(b, h, i, c, 0);
    put_lse(b, h, i, -kInf);
    put_max(b, h, i, -kInf);
  }

 private:
  static int64_t length(const attestone_tensor& t, int64_t b, int64_t otherwise) {
    return t.data == nullptr ? otherwise : static_cast<const int32_t*>(t.data)[b * t.strides[0]];
  }
  static void put_statistic(const attestone_tensor& t, int64_t b, int64_t h, int64_t i, float x) {
    if (t.data != nullptr) static_cast<float*>(t.data)[b * t.strides[0] + h * t.strides[1] + i * t.strides[2]] = x;
  }
};

/// What a kernel takes beyond the least: flags for `refused`.
enum Takes { kTakesLengths = 1, kTakesSoftcap = 2, kTakesSink = 4 };

inline int say(const attestone_args* a, const char* why, int code) {
  if (a->message != nullptr && a->message_bytes > 0)
    std::snprintf(a->message, static_cast<size_t>(a->message_bytes), "%s", why);
  return code;
}

/// Why a call is not taken, or nullptr. All of it is in the declared limits as well, but for inputs with scales.
inline const char* refused(const attestone_args* a, int takes) {
  const auto code = a->query.dtype.code;
  if (code != ATTESTONE_FLOAT && code != ATTESTONE_BFLOAT) return "f16 or bf16";
  for (const attestone_tensor* t : {&a->query, &a->key, &a->value, &a->out})
    if (t->data != nullptr && (t->dtype.code != code || t->dtype.bits != 16)) return "one format, of 16 bits";
  if (a->mask_form == ATTESTONE_MASK_BYTES) return "bands only";
  if (a->batch < 1 || a->heads < 1 || a->queries < 1 || a->keys < 1 || a->dim < 1 || a->value_dim < 1) return "empty";
  if (a->dim > 256 || a->value_dim > 256) return "at most 256 channels";
  if (a->dropout != 0) return "no dropout";
  if (a->bias.data != nullptr || a->alibi_slopes.data != nullptr) return "no bias";
  if ((takes & kTakesSoftcap) == 0 && a->softcap != 0) return "no softcap";
  if ((takes & kTakesSink) == 0 && a->sink.data != nullptr) return "no sink";
  if ((takes & kTakesLengths) == 0 && (a->query_lengths.data != nullptr || a->key_lengths.data != nullptr))
    return "no lengths";
  if (a->query_starts.data != nullptr || a->key_starts.data != nullptr || a->block_table.data != nullptr)
    return "no ragged batches, no pages";
  if (a->size >= sizeof(attestone_args) &&
      (a->query_scales.data != nullptr || a->key_scales.data != nullptr || a->value_scales.data != nullptr))
    return "no scales";
  return nullptr;
}

#define LIMITS_FORMATS "dtypes=f16+bf16 layouts=bhsd+bshd+transposed+broadcast+packed_qkv+sparse masks=full+band "
#define LIMITS_SIZES " dropout=no zero_extents=no mixed_output=no max_dim=256"
#define LIMITS_PLAIN LIMITS_FORMATS "scores= lengths=no" LIMITS_SIZES

// Rows share scales, or a mean, with rows that they may not see.
#define SHARES_CODES "hidden_nonfinite=propagates"

/// The library: `Body(const Call&)` is the whole forward pass.
#define EXPORT_KERNEL(kName, kNumerics, kLimits, kConventions, kTakes, Body)         \
  int attestone_describe(attestone_description* d) {                                 \
    d->name = kName;                                                                 \
    d->numerics = kNumerics;                                                         \
    d->limits = kLimits;                                                             \
    if (d->size >= sizeof(attestone_description)) d->conventions = kConventions;     \
    return ATTESTONE_OK;                                                             \
  }                                                                                  \
  int attestone_forward(const attestone_args* a) {                                   \
    if (const char* why = refused(a, kTakes)) return say(a, why, ATTESTONE_REFUSED); \
    Body(Call(*a));                                                                  \
    return ATTESTONE_OK;                                                             \
  }
