// SPDX-License-Identifier: Apache-2.0
// All fields that a kernel may declare, by name; and those that go by one name together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/numerics/numerics.hpp"

namespace attestone {

/// In which direction a field allows a kernel more.
enum class Looser {
  larger,
  smaller,
  neither,  ///< another order of the same roundings
};

namespace fields {

template <class Visit, class Of>
void accumulator(const std::string& stage, const Of& of, const Visit& visit) {
  const std::string name = stage + ".accumulator.";
  visit(
      name + "roundoff", [of](auto& n) -> auto& { return of(n).accumulator.roundoff; }, Looser::larger);
  visit(
      name + "truncates", [of](auto& n) -> auto& { return of(n).accumulator.truncates; }, Looser::larger);
  visit(
      name + "largest", [of](auto& n) -> auto& { return of(n).accumulator.largest; }, Looser::smaller);
  visit(
      name + "underflow", [of](auto& n) -> auto& { return of(n).accumulator.underflow; }, Looser::larger);
}

/// A cast, of which `largest` or `smallest_normal` may be nobody's business.
template <class Visit, class Of>
void cast(const std::string& name, const Of& of, const Visit& visit, bool largest, bool normal) {
  visit(
      name + ".roundoff", [of](auto& n) -> auto& { return of(n).roundoff; }, Looser::larger);
  visit(
      name + ".underflow", [of](auto& n) -> auto& { return of(n).underflow; }, Looser::larger);
  if (largest)
    visit(
        name + ".largest", [of](auto& n) -> auto& { return of(n).largest; }, Looser::smaller);
  if (normal)
    visit(
        name + ".smallest_normal", [of](auto& n) -> auto& { return of(n).smallest_normal; }, Looser::larger);
}

template <class Visit, class Of>
void row_cast(const std::string& name, const Of& of, const Visit& visit) {
  visit(
      name + ".roundoff", [of](auto& n) -> auto& { return of(n).roundoff; }, Looser::larger);
  visit(
      name + ".of_largest", [of](auto& n) -> auto& { return of(n).of_largest; }, Looser::larger);
  visit(
      name + ".underflow", [of](auto& n) -> auto& { return of(n).underflow; }, Looser::larger);
}

template <class Visit, class Of>
void codes(const std::string& name, const Of& of, const Visit& visit) {
  visit(
      name + ".rule", [of](auto& n) -> auto& { return of(n).rule; }, Looser::larger);
  visit(
      name + ".sharing", [of](auto& n) -> auto& { return of(n).sharing; }, Looser::neither);
  visit(
      name + ".count", [of](auto& n) -> auto& { return of(n).count; }, Looser::neither);
  visit(
      name + ".centring", [of](auto& n) -> auto& { return of(n).centring; }, Looser::neither);
  visit(
      name + ".mean_rows", [of](auto& n) -> auto& { return of(n).mean_rows; }, Looser::neither);
  visit(
      name + ".mean_of_batch", [of](auto& n) -> auto& { return of(n).mean_of_batch; }, Looser::neither);
  visit(
      name + ".mean_padding", [of](auto& n) -> auto& { return of(n).mean_padding; }, Looser::neither);
  visit(
      name + ".fixed_largest", [of](auto& n) -> auto& { return of(n).fixed_largest; }, Looser::neither);
  visit(
      name + ".parts", [of](auto& n) -> auto& { return of(n).parts; }, Looser::neither);
  visit(
      name + ".rotated", [of](auto& n) -> auto& { return of(n).rotated; }, Looser::neither);
  visit(
      name + ".mean_error", [of](auto& n) -> auto& { return of(n).mean_error; }, Looser::larger);
  visit(
      name + ".quotient_error", [of](auto& n) -> auto& { return of(n).quotient_error; }, Looser::larger);
}

/// Parts of a sum: how many, and how often what one adds up to is merged or stored.
template <class Visit, class Of>
void parts(const std::string& stage, const Of& of, const Visit& visit) {
  visit(
      stage + ".parts", [of](auto& n) -> auto& { return of(n).parts; }, Looser::larger);
  visit(
      stage + ".depth", [of](auto& n) -> auto& { return of(n).depth; }, Looser::neither);  // it narrows parts
}

template <class Visit>
void merge(const Visit& visit) {
  cast(
      "merge.out", [](auto& n) -> auto& { return n.merge.out; }, visit, true, false);
  visit(
      "merge.form", [](auto& n) -> auto& { return n.merge.form; }, Looser::larger);
  parts(
      "merge", [](auto& n) -> auto& { return n.merge; }, visit);
  visit(
      "merge.log_sum_exp_roundoff", [](auto& n) -> auto& { return n.merge.log_sum_exp_roundoff; }, Looser::larger);
  visit(
      "merge.exp_error", [](auto& n) -> auto& { return n.merge.exp_error; }, Looser::larger);
  visit(
      "merge.log_error", [](auto& n) -> auto& { return n.merge.log_error; }, Looser::larger);
  visit(
      "merge.visits", [](auto& n) -> auto& { return n.merge.visits; }, Looser::larger);
}

}  // namespace fields

/// visit(name, member, looser) for each field; member(numerics) is a reference to it: a double, bool, index, or one of
/// the enumerations of the stages.
// long: a table, one visit per field
template <class Visit>
void for_each_field(const Visit& visit) {
  fields::accumulator(
      "score", [](auto& n) -> auto& { return n.score; }, visit);
  fields::accumulator(
      "weight", [](auto& n) -> auto& { return n.weight; }, visit);
  fields::accumulator(
      "value", [](auto& n) -> auto& { return n.value; }, visit);
  fields::accumulator(
      "merge", [](auto& n) -> auto& { return n.merge; }, visit);
  fields::accumulator(
      "gradient", [](auto& n) -> auto& { return n.gradient; }, visit);
  fields::accumulator(
      "output", [](auto& n) -> auto& { return n.output; }, visit);
  fields::row_cast(
      "score.keys", [](auto& n) -> auto& { return n.score.keys; }, visit);
  fields::row_cast(
      "value.values", [](auto& n) -> auto& { return n.value.values; }, visit);
  fields::codes(
      "score.query_codes", [](auto& n) -> auto& { return n.score.query_codes; }, visit);
  fields::codes(
      "score.key_codes", [](auto& n) -> auto& { return n.score.key_codes; }, visit);
  fields::codes(
      "value.codes", [](auto& n) -> auto& { return n.value.codes; }, visit);
  fields::cast(
      "score.prescale", [](auto& n) -> auto& { return n.score.prescale; }, visit, false, false);
  fields::cast(
      "score.stored", [](auto& n) -> auto& { return n.score.stored; }, visit, true, false);
  fields::cast(
      "score.mean_product", [](auto& n) -> auto& { return n.score.mean_product; }, visit, true, false);
  fields::cast(
      "score.query_mean_product", [](auto& n) -> auto& { return n.score.query_mean_product; }, visit, false, false);
  visit(
      "weight.block_cast.of_largest", [](auto& n) -> auto& { return n.weight.block_cast.of_largest; }, Looser::larger);
  visit(
      "weight.block_cast.keys", [](auto& n) -> auto& { return n.weight.block_cast.keys; }, Looser::neither);
  visit(
      "weight.block_cast.smallest_normal", [](auto& n) -> auto& { return n.weight.block_cast.smallest_normal; },
      Looser::neither);
  fields::cast(
      "weight.cast", [](auto& n) -> auto& { return n.weight.cast; }, visit, false, true);
  fields::cast(
      "gradient.stored", [](auto& n) -> auto& { return n.gradient.stored; }, visit, true, false);
  fields::cast(
      "gradient.weight", [](auto& n) -> auto& { return n.gradient.weight; }, visit, false, false);
  fields::cast(
      "gradient.cast", [](auto& n) -> auto& { return n.gradient.cast; }, visit, true, false);
  fields::cast(
      "gradient.part", [](auto& n) -> auto& { return n.gradient.part; }, visit, true, false);
  fields::parts(
      "gradient", [](auto& n) -> auto& { return n.gradient; }, visit);
  fields::cast(
      "output.cast", [](auto& n) -> auto& { return n.output.cast; }, visit, true, false);
  visit(
      "score.operand_roundoff", [](auto& n) -> auto& { return n.score.operand_roundoff; }, Looser::larger);
  visit(
      "value.operand_roundoff", [](auto& n) -> auto& { return n.value.operand_roundoff; }, Looser::larger);
  visit(
      "gradient.operand_roundoff", [](auto& n) -> auto& { return n.gradient.operand_roundoff; }, Looser::larger);
  visit(
      "score.tanh_error", [](auto& n) -> auto& { return n.score.tanh_error; }, Looser::larger);
  visit(
      "score.tanh_absolute_error", [](auto& n) -> auto& { return n.score.tanh_absolute_error; }, Looser::larger);
  visit(
      "score.scaled_before_codes", [](auto& n) -> auto& { return n.score.scaled_before_codes; }, Looser::neither);
  visit(
      "score.exact_products", [](auto& n) -> auto& { return n.score.exact_products; }, Looser::smaller);
  visit(
      "value.tile_roundoff", [](auto& n) -> auto& { return n.value.tile_roundoff; }, Looser::larger);
  visit(
      "value.tile_roundings", [](auto& n) -> auto& { return n.value.tile_roundings; }, Looser::larger);
  visit(
      "weight.exp_error", [](auto& n) -> auto& { return n.weight.exp_error; }, Looser::larger);
  visit(
      "weight.denominator_sums_cast", [](auto& n) -> auto& { return n.weight.denominator_sums_cast; }, Looser::larger);
  visit(
      "weight.normalised", [](auto& n) -> auto& { return n.weight.normalised; }, Looser::neither);
  visit(
      "weight.reference_above", [](auto& n) -> auto& { return n.weight.reference_above; }, Looser::larger);
  visit(
      "weight.reference_below", [](auto& n) -> auto& { return n.weight.reference_below; }, Looser::larger);
  visit(
      "weight.bounded_maximum.lowered", [](auto& n) -> auto& { return n.weight.bounded_maximum.lowered; },
      Looser::smaller);
  visit(
      "weight.bounded_maximum.largest", [](auto& n) -> auto& { return n.weight.bounded_maximum.largest; },
      Looser::larger);
  visit(
      "weight.visits", [](auto& n) -> auto& { return n.weight.visits; }, Looser::larger);
  visit(
      "weight.tile_keys", [](auto& n) -> auto& { return n.weight.tile_keys; }, Looser::neither);  // 1 is the default
  visit(
      "value.fresh_accumulator_per_tile", [](auto& n) -> auto& { return n.value.fresh_accumulator_per_tile; },
      Looser::smaller);
  visit(
      "value.normalised_per_tile", [](auto& n) -> auto& { return n.value.normalised_per_tile; }, Looser::larger);
  fields::merge(visit);
  visit(
      "gradient.delta_from_rounded_out", [](auto& n) -> auto& { return n.gradient.delta_from_rounded_out; },
      Looser::larger);
  visit(
      "output.log_error", [](auto& n) -> auto& { return n.output.log_error; }, Looser::larger);
  visit(
      "output.log_sum_exp_roundoff", [](auto& n) -> auto& { return n.output.log_sum_exp_roundoff; }, Looser::larger);
  visit(
      "tile_queries", [](auto& n) -> auto& { return n.tile_queries; }, Looser::neither);
  visit(
      "invariant", [](auto& n) -> auto& { return n.invariant; }, Looser::neither);
}

/// One name for fields that are mostly equal, as attestone 1 had it for all of a kernel.
struct ShortName {
  std::string name;
  std::vector<std::string> fields;
};
const std::vector<ShortName>& short_names();

}  // namespace attestone
