// SPDX-License-Identifier: Apache-2.0
// Stage by stage: what ties and winners leave to be rounded.
#include "reference/numerics/exactness.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {
namespace {

/// Roundings of the quotient o / l: of it, or of a reciprocal and the product; one more of a product p v.
constexpr double quotient_roundings = 3, division_roundings = 2;

bool holds_integers(double largest, double roundoff) { return roundoff == 0 || largest < 1 / roundoff; }

bool subtracts_maximum(const WeightStage& weight) {
  return std::max({weight.reference_above, weight.reference_below, weight.bounded_maximum.largest}) == 0;
}

/// Equal maxima rescale by exactly 1, and integers are added. log_sum_exp of a part is a logarithm, which is not exact.
bool merges_exactly(const MergeStage& merge, double keys, double largest_sum) {
  if (merge.divides_parts()) return false;
  return holds_integers(largest_sum, merge.accumulator.roundoff) && holds_integers(largest_sum, merge.out.roundoff) &&
         holds_integers(keys, merge.log_sum_exp_roundoff);
}

/// The merge's share in the error of a winner, whose part meets others that weigh nothing against it.
WinnerError merged(const Numerics& numerics, double score, double largest_value) {
  const MergeStage& merge = numerics.merge;
  if (!merge.merges()) return {};
  const double u = merge.accumulator.roundoff, rounds = static_cast<double>(merge.rounds());
  WinnerError error{.relative = merge.out.roundoff, .absolute = merge.out.underflow};
  if (!merge.divides_parts()) return error;
  // Each part is divided; e^(lse_i - lse) = 1 but for the storage of both.
  error.relative += division_roundings * numerics.output.accumulator.roundoff +
                    std::expm1(2 * (merge.log_sum_exp_roundoff + u) * score) + u;
  // out - 1 (out - out_c): the difference is of the size of what weighs nothing.
  if (merge.form == MergeForm::sigmoid) error.absolute += 3 * rounds * u * 2 * largest_value;
  return error;
}

}  // namespace

index renormalisations(const Numerics& numerics, index keys) {
  const index tile = numerics.weight.tile_keys;
  if (!numerics.value.normalised_per_tile || tile == 0) return 0;
  return (keys + tile - 1) / tile - 1;
}

bool reads_what_is_given(const Numerics& numerics) {
  return !numerics.score.keys.happens() && !numerics.value.values.happens() && !numerics.score.query_codes.happen() &&
         !numerics.score.key_codes.happen() && !numerics.value.codes.happen();
}

bool keeps_ties_exact(const Numerics& numerics, index keys, index largest_integer) {
  const auto addends = static_cast<double>(keys);
  const double largest = addends * static_cast<double>(largest_integer);
  if (1 / addends < numerics.weight.cast.smallest_normal || !subtracts_maximum(numerics.weight)) return false;
  if (numerics.score.keys.happens() || numerics.value.values.happens() || numerics.value.codes.happen()) return false;
  if (!holds_integers(largest, numerics.value.tile_roundoff)) return false;
  // A denominator that is no power of two rounds the sums between two tiles, be there ever so few keys in each.
  if (keys > 1 && numerics.value.normalised_per_tile && numerics.weight.tile_keys > 0) return false;
  for (const Stage* stage : {static_cast<const Stage*>(&numerics.weight), static_cast<const Stage*>(&numerics.value)})
    if (!holds_integers(largest, stage->accumulator.roundoff)) return false;
  // One key is in one part.
  return keys == 1 || !numerics.merge.merges() || merges_exactly(numerics.merge, addends, largest);
}

WinnerError winner_error(const Numerics& numerics, const Winner& winner) {
  const double u = std::max({numerics.weight.accumulator.roundoff, numerics.value.accumulator.roundoff,
                             numerics.output.accumulator.roundoff});
  const double operand = std::max(numerics.score.operand_roundoff, numerics.value.operand_roundoff);
  // The sum q.k of the winner where the query was scaled and rounded first, times log2 e and fused with the difference.
  const double lost = std::max(numerics.score.prescale.roundoff, operand) * 2 * static_cast<double>(winner.channels);
  const double beside_one = numerics.weight.exp_error + u * (1 + 4 * winner.lead * lost);
  const bool is_one = winner.score == 0 && subtracts_maximum(numerics.weight);
  const double cast_roundoff = numerics.weight.cast.roundoff + numerics.weight.block_cast.of_largest;
  const double cast = is_one ? std::min(beside_one, cast_roundoff) : cast_roundoff;
  const double quotient = quotient_roundings * u / (1 - quotient_roundings * u);
  const RowCast& cast_of_v = numerics.value.values;
  const double moved = cast_of_v.of_largest * winner.largest_value + cast_of_v.underflow;
  const double largest_value = winner.largest_value * (1 + cast_of_v.roundoff) + moved;
  const WinnerError merge = merged(numerics, winner.score, largest_value);
  const double underflow = std::max(numerics.weight.accumulator.underflow, numerics.value.accumulator.underflow);
  // A loser's weight pulls the answer from the winner's value to its own; where f32 ends it is 0.
  const double loser = underflow + 2 * std::exp(-winner.lead);
  // O is given the mean that V lost, perhaps after it was stored; mean and difference are rounded to bf16 at worst.
  const OperandCodes& codes = numerics.value.codes;
  const double size = codes.centring == Centring::none ? 0 : 2 * largest_value;
  const double given_back = ((u + numerics.output.cast.roundoff) * (1 + u) + 2 * 0x1p-9) * size;
  const double again = renormalisation_roundings * static_cast<double>(renormalisations(numerics, winner.keys)) * u;
  const double relative =
      quotient + again / (1 - again) + (cast_roundoff > 0 ? cast : 0) + operand * (2 + operand) + merge.relative;
  return {relative + cast_of_v.roundoff * (1 + relative),
          static_cast<double>(winner.keys) * loser * largest_value + merge.absolute +
              (cast_of_v.underflow + code_error(codes, winner.largest_value)) * (1 + relative) + relative * size +
              given_back,
          cast_of_v.of_largest * (1 + relative)};
}

}  // namespace attestone
