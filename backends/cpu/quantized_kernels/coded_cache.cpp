// SPDX-License-Identifier: Apache-2.0
// The cache of a kv head becomes floats once; then its queries, row by row.
#include "backends/cpu/quantized_kernels/coded_cache.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/catalogue.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/quantization/static_scales.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char* memory = "a cache as floats";

const Values granularities = one_of({"token", "channel"});

const Registration<KernelEntry> registered{{
    .name = "coded_cache",
    .summary = "attention to K and V that are kept as int8 or e4m3 codes: a quantized KV cache",
    .settings = {{"format", "int8", one_of({"int8", "e4m3"}), "of the codes"},
                 {"keys", "channel", granularities, "what of K shares a scale"},
                 {"values", "token", granularities, "what of V shares a scale"},
                 static_scale("key_largest"),
                 static_scale("value_largest")},
    .examples = {"keys=token:values=channel", "format=e4m3", "format=e4m3:keys=token:values=channel",
                 "key_largest=4:value_largest=4"},
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<CodedCache>(settings); },
}};

OperandCodes codes(const Settings& settings, std::string_view operand, std::string_view largest) {
  OperandCodes codes{settings.text("format") == "int8" ? CodeRule::int8_cuda : CodeRule::e4m3, ScaleSharing::rows};
  if (settings.text(operand) == "channel") codes.sharing = ScaleSharing::channel;
  return with_static_scale(codes, settings, largest);
}

/// K or V of one head, as floats.
class Cached {
 public:
  Cached(Device& device, index rows, index channels, const OperandCodes& codes)
      : channels_(channels),
        operand_(device, rows, channels, coding_of(codes)),
        floats_(device, rows * channels, memory) {}

  void take(const ConstView& view, index batch, index head, index rows) {
    operand_.take(view, batch, head, rows);
    for (index r = 0; r < rows; ++r)
      for (index c = 0; c < channels_; ++c) floats_[r * channels_ + c] = operand_.numbers(r)[c] * operand_.scale(r, c);
  }
  const float* row(index r) const { return floats_.data() + r * channels_; }

 private:
  index channels_;
  CodedOperand operand_;
  Allocation<float> floats_;
};

/// Q of one row, and what becomes of it.
class Row {
 public:
  Row(Device& device, const Shape& shape)
      : dim_(shape.dim),
        value_dim_(shape.value_dim),
        query_(device, dim_, memory),
        weights_(device, shape.keys, memory),
        out_(device, value_dim_, memory) {}

  float* query() { return query_.data(); }
  const float* out() const { return out_.data(); }

  /// O over the first `seen` keys; returns log_sum_exp.
  double attend(const Cached& keys, const Cached& values, index seen, float scale) {
    std::ranges::fill(out_.span(), 0.0f);
    float m = -std::numeric_limits<float>::infinity(), l = 0;
    for (index j = 0; j < seen; ++j) {
      float sum = 0;
      for (index c = 0; c < dim_; ++c) sum += query_[c] * keys.row(j)[c];
      weights_[j] = sum * scale;
      m = std::max(m, weights_[j]);
    }
    for (index j = 0; j < seen; ++j) {
      const float p = std::exp(weights_[j] - m);
      l += p;
      for (index c = 0; c < value_dim_; ++c) out_[c] += p * values.row(j)[c];
    }
    if (seen == 0) return double{m};
    for (float& o : out_.span()) o /= l;
    return double{m} + std::log(double{l});
  }

 private:
  index dim_, value_dim_;
  Allocation<float> query_, weights_, out_;
};

/// How many of the first keys a query sees.
index seen_keys(const Problem& problem, const Sequence& own, index query) {
  if (query >= own.queries) return 0;
  return problem.mask.is_full() ? own.keys : std::clamp<index>(own.position(query) + 1, 0, own.keys);
}

}  // namespace

CodedCache::CodedCache(const Settings& settings)
    : settings_(settings),
      key_codes_(codes(settings, "keys", "key_largest")),
      value_codes_(codes(settings, "values", "value_largest")) {}

std::string CodedCache::name() const { return kernel_text(*Registry<KernelEntry>::find("coded_cache"), settings_); }

Support CodedCache::supports(const Problem& problem) const {
  if (!problem.score.terms().empty())
    return Support::refused("knows neither biases nor softcaps nor sinks: " + problem.score.text());
  if (problem.input.name != "f16" && problem.input.name != "bf16")
    return Support::refused("works on f16 and bf16, not on " + std::string(problem.input.name));
  if (!problem.formats.empty()) return Support::refused("takes Q, K and V in one format, without scales");
  if (Support support = common_limits(problem); !support) return support;
  if (!problem.mask.is_full() && problem.mask.text() != "causal") return Support::refused("knows no mask but causal");
  if (problem.dropout > 0) return Support::refused("has no dropout");
  if (problem.left_padded) return Support::refused("takes sequences that begin at the first row");
  return {};
}

Numerics CodedCache::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem, float_exp_error);
  numerics.weight.cast = {};
  numerics.score.key_codes = key_codes_;
  numerics.value.codes = value_codes_;
  numerics.score.operand_roundoff = numerics.value.operand_roundoff = dtype("f32").unit_roundoff();
  numerics.invariant = Invariance::batch | Invariance::heads;
  return numerics;
}

index CodedCache::forward_bytes(const Problem& problem) const {
  const auto& [batch, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  return CodedOperand::bytes(keys, dim, coding_of(key_codes_)) +
         CodedOperand::bytes(keys, value_dim, coding_of(value_codes_)) +
         (keys * (dim + value_dim + 1) + dim + value_dim) * static_cast<index>(sizeof(float));
}

void CodedCache::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const Shape& shape = problem.shape;
  const auto scale = static_cast<float>(problem.scale());
  Cached keys(device, shape.keys, shape.dim, key_codes_), values(device, shape.keys, shape.value_dim, value_codes_);
  Row row(device, shape);
  const FloatRows queries(arguments.query);
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head) {
      const Sequence own = problem.sequence(batch);
      if (head % (shape.heads / shape.kv_heads) == 0) {
        keys.take(arguments.key, batch, shape.kv_head(head), own.keys);
        values.take(arguments.value, batch, shape.kv_head(head), own.keys);
      }
      for (index i = 0; i < stored_rows(problem, batch).queries; ++i) {
        const index seen = seen_keys(problem, own, i);
        if (seen > 0) queries.read(batch, head, i, row.query());
        const double log_sum_exp = row.attend(keys, values, seen, scale);
        store_float_rows(arguments.out, batch, head, {i, i}, {row.out(), shape.value_dim}, 1);
        if (arguments.log_sum_exp.exists()) arguments.log_sum_exp.set(batch, head, i, 0, log_sum_exp);
        device.compute({.multiply_adds = seen * (shape.dim + shape.value_dim), .exponentials = seen});
      }
    }
}

}  // namespace attestone::inline backends
