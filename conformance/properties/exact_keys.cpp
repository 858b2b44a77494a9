// SPDX-License-Identifier: Apache-2.0
// Keys that wear their number: each row answers with the number of the key that it selects.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <vector>

#include "conformance/properties/exact_inputs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Digits below 8 are exact in every format.
constexpr index base = 8;

/// Which row of K and V.
struct KeyRow {
  index batch, kv_head, key;
};

/// One digit of the number of a row; V has as many of them as channels.
double digit(const Shape& shape, const KeyRow& row, index channel) {
  index rest = (row.batch * shape.kv_heads + row.kv_head) * shape.keys + row.key;
  for (index c = 0; c < channel; ++c) rest /= base;
  return static_cast<double>(rest % base);
}

/// A row of an answer, or of V.
using Digits = std::vector<double>;

Digits digits(const ConstView& view, index batch, index head, index row) {
  Digits all;
  for (index c = 0; c < view.extents()[3]; ++c) all.push_back(view.value(batch, head, row, c));
  return all;
}

/// True if the row of O that selects these digits may read so.
using Reads = std::function<bool(const Digits& got, const Digits& right)>;

/// The row of V that holds these digits; none if they are nobody's.
std::optional<KeyRow> wearer(const Digits& got, const ConstView& value, const Reads& reads) {
  const auto& [batches, heads, rows, channels] = value.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index j = 0; j < value.rows(b); ++j)
        if (reads(got, digits(value, b, h, j))) return KeyRow{b, h, j};
  return std::nullopt;
}

std::string told(const std::optional<KeyRow>& row) {
  return row ? fmt::format("key {} of batch {}, kv head {}", row->key, row->batch, row->kv_head)
             : "no key that there is";
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Shape& s = problem.shape;
  const Selection selection(problem);
  const Inputs inputs = filled_forward(problem, selection.source([&](const Element& at) {
    return digit(s, {at.batch, at.head, at.row}, at.channel);
  }));
  const KernelAnswer answer = trial.run(inputs);
  const ConstView out = answer.outputs.out.view(), value = inputs.value.view();
  const WinnerError error = selection.error(trial.numerics());
  if (!std::isfinite(error.absolute)) return Verdict::inconclusive("weak-case", std::string(Selection::undecided));
  const Reads reads = [&](const Digits& got, const Digits& right) {
    const double largest = right.empty() ? 0 : std::ranges::max(right);
    return std::ranges::equal(got, right, [&](double a, double b) {
      return Selection::answer(error, b, largest).is(a, problem.output, trial.numerics());
    });
  };
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < out.rows(b); ++i) {
        const auto key = selection.key(b, h, i);
        if (!key) continue;
        const Digits got = digits(out, b, h, i);
        if (reads(got, digits(value, b, s.kv_head(h), *key))) continue;
        return Verdict::failed("wrong-key",
                               fmt::format("b{}, h{}, q{} answers with {} instead of {}", b, h, i,
                                           told(wearer(got, value, reads)), told(KeyRow{b, s.kv_head(h), *key})));
      }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "exact_keys",
    .claim =
        "where V holds the numbers of its keys, each row answers with the number of the key that it selects, of its "
        "own sequence and kv head",
    .inapplicable = Selection::impossible,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone::inline conformance
