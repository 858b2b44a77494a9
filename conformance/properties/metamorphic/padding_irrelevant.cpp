// SPDX-License-Identifier: Apache-2.0
// Keys behind the end of a sequence are not there.
#include <fmt/format.h>
#include <limits>

#include "conformance/properties/metamorphic/hidden_keys.hpp"
#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// No tile ends with the old last key any more.
constexpr index padding = 7;

Problem padded(const Problem& problem) {
  Problem other = forward_of(problem);
  other.shape.keys += padding;
  other.lengths.clear();
  for (index b = 0; b < problem.shape.batch; ++b) other.lengths.push_back(problem.sequence(b).keys);
  return other;
}

std::string inapplicable(const Problem& problem) {
  return sees_the_same(padded(problem), problem, same_row) ? "" : "the mask follows the shape, not the lengths";
}

/// The first elements of every axis.
View with_extents(const View& wider, const Extents& extents) {
  return {wider.data(), wider.dtype(), extents, wider.strides()};
}

/// Behind the old keys, which have a place for every sequence, stands nothing but the poison.
void append(double poison, const ConstView& from, const View& to) {
  for_each_element(to, [&](index b, index h, index r, index c) { to.set(b, h, r, c, poison); });
  copy_elements(from, with_extents(to, from.extents()));
}

Verdict check(Trial& trial) {
  const Problem other = padded(trial.problem());
  const Inputs& original = trial.inputs();
  RelatedCall call{other, Inputs(other), unmoved(trial.truth(), other)};
  copy_elements(original.query.view(), call.inputs.query.view());
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const bool spreads = trial.conventions().hidden_nonfinite == HiddenNonfinite::propagates;
  const HiddenPoison poison = spreads ? finite_poison(trial.problem()) : HiddenPoison{nan, nan};
  append(poison.key, original.key.view(), call.inputs.key.view());
  append(poison.value, original.value.view(), call.inputs.value.view());
  if (original.bias) {
    call.inputs.bias->fill_code(0);
    copy_elements(original.bias->view(), with_extents(call.inputs.bias->view(), original.bias->view().extents()));
  }
  if (original.sink) call.inputs.sink.emplace(*original.sink);
  return judged(trial, call, "padding",
                fmt::format("with {} keys of {} behind the end of every sequence", padding, poison.text()));
}

const Registration<Property> registered{{
    .name = "padding_irrelevant",
    .claim = "keys appended behind the length of every sequence change nothing, whatever they hold",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
