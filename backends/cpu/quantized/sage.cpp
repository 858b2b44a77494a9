// SPDX-License-Identifier: Apache-2.0
// Head by head, row by row: integer products, the online softmax, and the tensor core's sums.
#include "backends/cpu/quantized/sage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/catalogue.hpp"
#include "backends/cpu/parts/exp2.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/quantized/coded_operand.hpp"
#include "backends/cpu/quantized/unit_values.hpp"
#include "backends/cpu/simd/codes.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr index query_block = 128, key_tile = 64;
/// log2 e, as the source writes it.
constexpr double log2_e = 1.44269504;
constexpr const char* memory = "a row and its tile";

const Registration<KernelEntry> registered{{
    .name = "sage_qk_int8_pv_fp16_triton",
    .summary = "SageAttention: scores of int8 codes by block, P and V in f16 on tensor cores; as its Triton kernel",
    .settings = {},
    .make = [](const Settings&) -> SharedKernel { return std::make_shared<SageTriton>(); },
}};

const MatrixUnit& unit() {
  static const MatrixUnit& ampere = matrix_unit("ampere.f16.f16");
  return ampere;
}

Coding query_coding(const Problem& problem) {
  return {
      quantizer("int8_block"), {Sharing::Of::block, query_block}, false, static_cast<float>(problem.scale() * log2_e)};
}
Coding key_coding() { return {quantizer("int8_block"), {Sharing::Of::block, key_tile}, true, {}}; }

/// The online softmax of a row, whose output is that of the tensor core.
struct Row {
  float m = -std::numeric_limits<float>::infinity(), l = 0;
};

/// What one head takes.
class Head {
 public:
  Head(Device& device, const Problem& problem)
      : dim_(problem.shape.dim),
        queries_(device, problem.shape.queries, dim_, query_coding(problem)),
        keys_(device, problem.shape.keys, dim_, key_coding()),
        values_(device, unit(), problem.shape.keys, dim_),
        rows_of_values_(device, problem.shape.keys * dim_, memory),
        out_(device, dim_, memory),
        sums_(device, dim_, memory),
        query_(device, dim_, memory),
        scores_(device, key_tile, memory),
        weights_(device, key_tile, memory) {}

  static index bytes(const Problem& problem) {
    const auto& [batch, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
    return CodedOperand::bytes(queries, dim, query_coding(problem)) + CodedOperand::bytes(keys, dim, key_coding()) +
           UnitValues::bytes(unit(), keys, dim) + (dim * (keys + 3) + 2 * key_tile) * static_cast<index>(sizeof(float));
  }

  void take(const Problem& problem, const Arguments& arguments, index batch, index head) {
    const index kv_head = problem.shape.kv_head(head), keys = problem.shape.keys;
    queries_.take(arguments.query, batch, head, problem.shape.queries);
    keys_.take(arguments.key, batch, kv_head, keys);
    const FloatRows from(arguments.value);
    for (index j = 0; j < keys; ++j) from.read(batch, kv_head, j, rows_of_values_.data() + j * dim_);
    for (float& v : rows_of_values_.span()) v = rounded_to_f16(v);
    values_.take(rows_of_values_.data(), keys);
  }

  /// O of one query over the first `keys` keys, undivided.
  Row attend(index query, index keys) {
    Row row;
    std::fill_n(out_.data(), dim_, 0.0f);
    for (index first = 0; first < keys; first += key_tile) take_in(query, first, std::min(key_tile, keys - first), row);
    return row;
  }

  float* out() { return out_.data(); }

  /// The product of the query with the mean of K, in the format of both.
  float mean_product(const ConstView& query, index batch, index head, index row) {
    FloatRows(query).read(batch, head, row, query_.data());
    float sum = 0;
    for (index c = 0; c < dim_; ++c) sum += query_[c] * keys_.mean()[c];
    return query.dtype().name == "f16" ? rounded_to_f16(sum) : rounded_to_bf16(sum);
  }

 private:
  /// Integers below 2^21, added without a rounding.
  float product(index query, index key) const {
    const float *q = queries_.numbers(query), *k = keys_.numbers(key);
    int sum = 0;
    for (index c = 0; c < dim_; ++c) sum += static_cast<int>(q[c]) * static_cast<int>(k[c]);
    return static_cast<float>(sum);
  }

  void take_in(index query, index first, index count, Row& row) {
    float largest = row.m;
    for (index j = 0; j < count; ++j) {
      scores_[j] = product(query, first + j) * (queries_.scale(query) * keys_.scale(first + j));
      largest = std::max(largest, scores_[j]);
    }
    float sum = 0;
    for (index j = 0; j < count; ++j) {
      const float p = exp2_of_nonpositive(scores_[j] - largest);
      sum += p;
      weights_[j] = weight_rounded_to_f16(p);
    }
    const float alpha = exp2_of_nonpositive(row.m - largest);
    row.l = row.l * alpha + sum;
    row.m = largest;
    values_.multiply(first, weights_.data(), count, sums_.data());
    for (index c = 0; c < dim_; ++c) out_[c] = out_[c] * alpha + sums_[c];
  }

  index dim_;
  CodedOperand queries_, keys_;
  UnitValues values_;
  Allocation<float> rows_of_values_, out_, sums_, query_, scores_, weights_;
};

}  // namespace

std::string SageTriton::name() const { return "sage_qk_int8_pv_fp16_triton"; }

Support SageTriton::supports(const Problem& problem) const {
  const Shape& shape = problem.shape;
  if (problem.input.name != "f16" && problem.input.name != "bf16")
    return Support::refused("works on f16 and bf16, not on " + std::string(problem.input.name));
  if (!problem.formats.empty()) return Support::refused("takes Q, K and V in one format, without scales");
  if (!(problem.output == problem.input)) return Support::refused("writes O in the format of Q");
  const bool causal = problem.mask.text() == "causal" && shape.queries == shape.keys;
  if (!problem.mask.is_full() && !causal)
    return Support::refused("knows no mask but causal ones of as many queries as keys");
  if (!problem.score.terms().empty()) return Support::refused("knows neither biases nor softcaps nor sinks");
  if (problem.dropout > 0) return Support::refused("has no dropout");
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) return Support::refused("takes full sequences only");
  if (shape.dim > 128) return Support::refused("takes heads of up to 128 channels");
  if (shape.value_dim != shape.dim) return Support::refused("takes V as wide as K");
  return {};
}

Numerics SageTriton::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  const DType &f16 = dtype("f16"), &f32 = dtype("f32");
  ScoreStage& score = numerics.score;
  score.query_codes = {CodeRule::int8_block, ScaleSharing::rows, query_block, Centring::none};
  score.key_codes = {CodeRule::int8_block, ScaleSharing::rows, key_tile, Centring::rounded};
  score.scaled_before_codes = score.exact_products = true;
  score.mean_product_roundoff = problem.input.unit_roundoff();
  numerics.weight.cast = gradual_cast(f16);
  numerics.weight.visits = Visits::ascending;
  numerics.weight.tile_keys = key_tile;
  numerics.tile_queries = query_block;
  ValueStage& value = numerics.value;
  // Terms are cut off at 2^-24 of the largest, and what is added up so is rounded to f16.
  value.accumulator = {
      .roundoff = 2 * f32.unit_roundoff(), .truncates = true, .largest = f16.largest(), .underflow = f16.underflow()};
  value.fresh_accumulator_per_tile = true;
  value.tile_roundoff = f16.unit_roundoff();
  value.tile_roundings = key_tile / unit().group;
  if (!(problem.input == f16)) value.values.underflow = f16.underflow();
  // (log2 l + m) / log2 e, and the sum with the product with the mean.
  numerics.output.log_sum_exp_roundoff = 3 * f32.unit_roundoff();
  numerics.output.log_error = 4 * f32.unit_roundoff();
  numerics.invariant = Invariance::batch | Invariance::heads;
  return numerics;
}

index SageTriton::forward_bytes(const Problem& problem) const { return Head::bytes(problem); }

void SageTriton::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const Shape& shape = problem.shape;
  const auto log2_of_e = static_cast<float>(log2_e), scale = static_cast<float>(problem.scale());
  Head of_head(device, problem);
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head) {
      of_head.take(problem, arguments, batch, head);
      for (index i = 0; i < shape.queries; ++i) {
        const index keys = problem.mask.is_full() ? shape.keys : i + 1;
        const Row row = of_head.attend(i, keys);
        for (index c = 0; c < shape.dim; ++c) of_head.out()[c] /= row.l;
        store_float_rows(arguments.out, batch, head, {i, i}, {of_head.out(), shape.dim}, 1);
        if (!arguments.log_sum_exp.exists()) continue;
        const float own = (std::log2(row.l) + row.m) / log2_of_e;
        arguments.log_sum_exp.set(batch, head, i, 0,
                                  double{own + of_head.mean_product(arguments.query, batch, head, i) * scale});
      }
      device.compute(
          {.multiply_adds = 2 * shape.queries * shape.keys * shape.dim, .exponentials = shape.queries * shape.keys});
    }
}

}  // namespace attestone
