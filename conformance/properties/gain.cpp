// SPDX-License-Identifier: Apache-2.0
// What elements cannot see: all of them leaning the same way.
#include "reference/error_bound/gain.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "conformance/property.hpp"
#include "conformance/visible_keys.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem& problem) {
  const VisibleKeys visibility(problem);
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index i = 0; i < problem.shape.queries; ++i)
      if (visibility.count(b, i) > 0) return {};
  return "no query sees a key";
}

/// Numbers rows so that those which a kernel cannot but compute alike have the same number: the same query and the same
/// keys in the same head.
class Kinds {
 public:
  Kinds(const Problem& problem, const Inputs& inputs)
      : visibility_(problem), query_(inputs.query.view()), keys_(problem.shape.keys) {}

  std::size_t of(index batch, index head, index query) {
    Row row{batch, head, {}, {}};
    for (index c = 0; c < query_.extents()[3]; ++c) row.query.push_back(query_.code(batch, head, query, c));
    for (index j = 0; j < keys_; ++j) row.visible.push_back(visibility_.sees(batch, query, j));
    return known_.try_emplace(std::move(row), known_.size()).first->second;
  }

 private:
  struct Row {
    index batch, head;
    std::vector<std::uint64_t> query;
    std::vector<bool> visible;
    auto operator<=>(const Row&) const = default;
  };
  VisibleKeys visibility_;
  ConstView query_;
  index keys_;
  std::map<Row, std::size_t> known_;
};

/// Adds one row unless something in it is not finite, or its bound says nothing.
void add_row(Trial& trial, Gain& gain, Kinds& kinds, index b, index h, index row) {
  const index query = trial.truth().queries()[static_cast<std::size_t>(row)];
  const auto bounds = trial.bound().row(b, h, query);
  const ConstView out = trial.answer().outputs.out.view();
  std::vector<double> truth, answer, bound;
  for (index c = 0; c < out.extents()[3]; ++c) {
    truth.push_back(trial.truth().out(b, h, row, c).value);
    answer.push_back(out.value(b, h, query, c));
    bound.push_back(bounds->out(c));
  }
  const auto all_finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
  };
  if (all_finite(truth) && all_finite(answer) && all_finite(bound))
    gain.add(truth, answer, bound, kinds.of(b, h, query));
}

Verdict check(Trial& trial) {
  const Shape& shape = trial.problem().shape;
  Kinds kinds(trial.problem(), trial.inputs());
  Gain gain;
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (std::size_t row = 0; row < trial.truth().queries().size(); ++row)
        add_row(trial, gain, kinds, b, h, static_cast<index>(row));
  const double error = std::abs(gain.gain() - 1);
  if (error > gain.bound())
    return Verdict::failed("wrong-gain",
                           fmt::format("O is {:.6g} times the truth on the whole; rounding explains 1 +- {:.2g}",
                                       gain.gain(), gain.bound()));
  if (!(gain.bound() < 1)) return Verdict::inconclusive("weak-case", "an all-zero answer would pass");
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "gain",
    .claim = "on the whole the answer is the truth times 1: no factor, however small, runs through all of it",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
