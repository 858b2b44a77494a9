// SPDX-License-Identifier: Apache-2.0
// A coded kernel as the catalogue sees it: limits, declared arithmetic, memory; and heads one by one.
#include "backends/cpu/quantized_kernels/coded_attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "backends/catalogue.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/row_by_row.hpp"
#include "backends/cpu/quantized_kernels/head.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// The error of 2^x in a C library.
constexpr double exp2_error = 0x1p-23;

/// The part of each aligned term that a unit cuts off, as a share of the largest.
double cut_of(const MatrixUnit& unit) {
  constexpr int of_f32 = 23;
  return std::ldexp(1.0, -std::min(unit.fraction_bits, of_f32));
}

void declare_scores(const CodedAlgorithm& algorithm, const DType& input, index dim, ScoreStage& score) {
  const double u = dtype("f32").unit_roundoff();
  score.query_codes = algorithm.query_codes;
  score.key_codes = algorithm.key_codes;
  score.scaled_before_codes = algorithm.scaled_before_codes;
  score.exact_products = algorithm.score_unit == nullptr;
  // The scale, log2 e, those of codes, their products, the score's, and the maximum's.
  score.accumulator.roundoff = 2 * u;
  // The maximum is a rounded product, what it is subtracted from is not: beyond, a weight could exceed what it should
  // reach by more than half a step of its format.
  if (!algorithm.scaled_before_codes) score.stored.largest = 0x1p19;
  if (algorithm.score_unit) {
    score.accumulator.roundoff = cut_of(*algorithm.score_unit);
    score.accumulator.truncates = true;
  }
  if (algorithm.key_codes.centring != Centring::none) score.mean_product = gradual_cast(input);
  if (algorithm.gives_query_mean_back()) score.query_mean_product.roundoff = 2 * static_cast<double>(dim + 1) * u;
}

/// The arithmetic of the product with V: what the tensor core cuts off and rounds, and how often.
void declare_products(const CodedAlgorithm& algorithm, Numerics& numerics) {
  const DType& f32 = dtype("f32");
  const MatrixUnit& unit = *algorithm.unit;
  ValueStage& value = numerics.value;
  value.codes = algorithm.value_codes;
  // A group is aligned, which cuts off each product and what there was, and then rounded.
  const double cut = cut_of(unit), kept = unit.accumulator().unit_roundoff();
  value.accumulator.truncates = true;
  if (algorithm.sums == TileSums::onto_out) {
    // O is multiplied by a factor that is rounded like it.
    value.accumulator.roundoff = algorithm.accumulates_in_f16() ? 2 * kept : cut;
    if (algorithm.accumulates_in_f16()) numerics.output.accumulator.roundoff = kept;
  } else {
    value.accumulator.roundoff = 2 * f32.unit_roundoff();
    value.fresh_accumulator_per_tile = algorithm.denominator == nullptr;  // which would go for the denominator, too
    value.tile_roundoff = std::max(cut, algorithm.accumulates_in_f16() ? kept : 0.0);
    // Cuts that are much smaller than what is rounded in the end are counted by their share.
    const double cuts = static_cast<double>(unit.group + 1) * cut / value.tile_roundoff;
    value.tile_roundings = algorithm.key_tile / unit.group * (1 + static_cast<index>(std::ceil(cuts)));
  }
  // Where O is given the mean back after it was stored.
  if (algorithm.gives_value_mean_back() && algorithm.multiplies_f16())
    numerics.output.accumulator.roundoff =
        std::max(numerics.output.accumulator.roundoff, numerics.output.cast.roundoff);
  if (!algorithm.multiplies_f16()) return;
  // V is f16, and so may be its sums.
  value.accumulator.largest = dtype("f16").largest();
  if (algorithm.accumulates_in_f16()) value.accumulator.underflow = unit.accumulator().underflow();
}

void declare_weights(const CodedAlgorithm& algorithm, Numerics& numerics) {
  WeightStage& weight = numerics.weight;
  const DType& format = dtype(algorithm.unit->operand);
  const double raised = std::exp2(double{algorithm.lowered});
  weight.cast = gradual_cast(format);
  weight.cast.underflow /= raised;
  weight.cast.smallest_normal /= raised;
  weight.reference_below = double{algorithm.lowered} * std::numbers::ln2;
  weight.visits = Visits::ascending;
  weight.tile_keys = algorithm.key_tile;
  if (!algorithm.denominator) return;
  weight.denominator_sums_cast = true;
  weight.accumulator.roundoff *= 2;
  weight.accumulator.truncates = true;
}

}  // namespace

std::string CodedAttention::name() const { return kernel_text(*Registry<KernelEntry>::find(entry_), settings_); }

Support CodedAttention::supports(const Problem& problem) const {
  const CodedAlgorithm algorithm = algorithm_for(problem);
  const Sequences sequences = algorithm.packs_sequences ? Sequences::of_any_length : Sequences::full;
  if (const Support taken = taken_row_by_row(problem, sequences); !taken) return taken;
  if (algorithm.query_codes.rotated && !std::has_single_bit(static_cast<std::uint64_t>(problem.shape.dim)))
    return Support::refused("rotates heads whose channels are a power of two");
  return {};
}

Numerics CodedAttention::numerics(const Problem& problem) const {
  const CodedAlgorithm algorithm = algorithm_for(problem);
  const DType &f16 = dtype("f16"), &f32 = dtype("f32");
  Numerics numerics = float_numerics(problem, exp2_error);
  declare_scores(algorithm, problem.input, problem.shape.dim, numerics.score);
  declare_weights(algorithm, numerics);
  declare_products(algorithm, numerics);
  if (!algorithm.value_codes.happen() && !(problem.input == f16)) numerics.value.values.underflow = f16.underflow();
  numerics.tile_queries = algorithm.query_block;
  // (log2 l + m) / log2 e, and the sum with the product with the mean.
  numerics.output.log_sum_exp_roundoff = 3 * f32.unit_roundoff();
  numerics.output.log_error = 4 * f32.unit_roundoff();
  numerics.invariant = Invariance::heads;
  if (!algorithm.key_codes.mean_of_batch) numerics.invariant = numerics.invariant | Invariance::batch;
  return numerics;
}

index CodedAttention::forward_bytes(const Problem& problem) const {
  return CodedHead::bytes(problem, algorithm_for(problem));
}

void CodedAttention::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  CodedHead of_head(device, problem, algorithm_for(problem));
  attend_row_by_row(of_head, problem, arguments, device);
}

}  // namespace attestone::inline backends
