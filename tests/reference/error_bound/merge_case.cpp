// SPDX-License-Identifier: Apache-2.0
// Drawing problems and kernels, and comparing row by row.
#include "tests/reference/error_bound/merge_case.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "tests/reference/error_bound/fills.hpp"

namespace attestone::emulation {
namespace {

class Draw {
 public:
  explicit Draw(std::mt19937_64& random) : random_(random) {}
  index upto(index most) { return static_cast<index>(random_() % static_cast<std::uint64_t>(most + 1)); }
  bool once_in(index n) { return upto(n - 1) == 0; }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(upto(std::ssize(choices) - 1))];
  }

 private:
  std::mt19937_64& random_;
};

Recipe drawn_arithmetic(Draw& draw, MergeForm form, const std::string& dtype) {
  using enum Summation;
  std::vector<Summation> sums{sequential, fused, eight_lanes, pairwise};
  if (dtype != "f32") sums.push_back(truncating);
  Recipe recipe{.name = "split"};
  recipe.summation = draw.one_of(sums);
  recipe.tile = draw.one_of<index>({0, 1, 4, 16});
  recipe.descending = draw.once_in(2);
  recipe.flush = draw.once_in(4);
  recipe.base_two = draw.once_in(3);
  recipe.reciprocal = draw.once_in(2);
  recipe.normalise = form >= MergeForm::late_correction && draw.once_in(4);
  recipe.exp_error = draw.one_of<ExpError>(
      {ExpError::none, ExpError::up, ExpError::down, ExpError::alternating, ExpError::against_first_channel});
  recipe.sink_at = draw.one_of<SinkAt>({SinkAt::first, SinkAt::last});
  recipe.dropout_at = draw.one_of<DropoutAt>({DropoutAt::weights, DropoutAt::answer, DropoutAt::values});
  return recipe;
}

double share(double error, double bound) {
  if (error == 0) return 0;
  const double ratio = error / bound;
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

MergeShares shares_of_row(const Row& got, const ExactRow& truth, const RowBound& bound) {
  MergeShares shares{.rows = 1};
  for (std::size_t c = 0; c < got.out.size(); ++c) {
    const auto error = static_cast<double>(std::abs(static_cast<long double>(got.out[c]) - truth.out[c]));
    const double certain = bound.out(static_cast<index>(c));
    ++shares.elements;
    shares.unbounded += std::isinf(certain);
    shares.see({.deterministic = share(error, certain),
                .probabilistic = share(error, bound.out_probabilistic(static_cast<index>(c)))});
  }
  if (std::isinf(truth.log_sum_exp)) return shares;
  const auto error = static_cast<double>(std::abs(static_cast<long double>(got.log_sum_exp) - truth.log_sum_exp));
  shares.see({.log_sum_exp = share(error, bound.log_sum_exp()),
              .log_sum_exp_probabilistic = share(error, bound.log_sum_exp_probabilistic())});
  return shares;
}

}  // namespace

MergeCase MergeCase::drawn(std::mt19937_64& random, MergeForm form, const std::string& dtype, bool smaller) {
  Draw draw(random);
  const index queries = 1 + draw.upto(smaller ? 5 : 3), keys = 1 + draw.upto(smaller ? 20 : draw.once_in(8) ? 200 : 60);
  std::string line = fmt::format("shape=1x1x{}x{}x{}:{} dtype={} seed={}", queries, keys, 1 + draw.upto(15),
                                 1 + draw.upto(3), dtype, 1 + draw.upto(1 << 30));
  line += draw.one_of<std::string>({"", "", " mask=causal", " mask=window:5:3"});
  line += draw.one_of<std::string>({"", "", "", " score=softcap:20", " score=alibi", " score=bias:full",
                                    " score=sink:head", " score=softcap:5&sink:head"});
  if (draw.once_in(8)) line += draw.one_of<std::string>({" dropout=0.1", " dropout=0.5"});
  SplitRecipe recipe{.within = drawn_arithmetic(draw, form, dtype), .form = form, .parts = 1 + draw.upto(8)};
  recipe.scattered = draw.once_in(3);
  recipe.sink_merged = form != MergeForm::shared_maximum && draw.once_in(2);
  recipe.order =
      draw.one_of<MergeOrder>({MergeOrder::one_after_another, MergeOrder::pairwise,
                               form <= MergeForm::rescaled_sums ? MergeOrder::all_at_once : MergeOrder::pairwise});
  if (form == MergeForm::late_correction) recipe.order = MergeOrder::one_after_another;
  recipe.stored_in = draw.one_of<std::string>({"", "", "f32", dtype});
  return {line, draw.one_of(fills()).name, recipe};
}

std::string MergeCase::text() const {
  const Recipe& w = recipe.within;
  return fmt::format(
      "'{}' {}: form {}, {} parts, scattered {}, order {}, sink merged {}, stored '{}', summation {}, tile {}, "
      "descending {}, flush {}, base two {}, normalise {}, exp error {}, sink at {}, dropout at {}",
      line, fill, static_cast<int>(recipe.form), recipe.parts, recipe.scattered, static_cast<int>(recipe.order),
      recipe.sink_merged, recipe.stored_in, static_cast<int>(w.summation), w.tile, w.descending, w.flush, w.base_two,
      w.normalise, static_cast<int>(w.exp_error), static_cast<int>(w.sink_at), static_cast<int>(w.dropout_at));
}

void MergeShares::see(const MergeShares& other) {
  deterministic = std::max(deterministic, other.deterministic);
  probabilistic = std::max(probabilistic, other.probabilistic);
  log_sum_exp = std::max(log_sum_exp, other.log_sum_exp);
  log_sum_exp_probabilistic = std::max(log_sum_exp_probabilistic, other.log_sum_exp_probabilistic);
  rows += other.rows, elements += other.elements, unbounded += other.unbounded;
}

double MergeShares::worst() const {
  return std::max({deterministic, probabilistic, log_sum_exp, log_sum_exp_probabilistic});
}

MergeShares shares_of(const MergeCase& one) {
  const Problem problem = parse_problem(one.line);
  const Numerics numerics = declared(default_numerics(problem.input, problem.output), one.recipe);
  Inputs inputs(problem);
  fill_named(one.fill).fill(problem, problem.seed, inputs);
  fill_logits(problem.seed, inputs);
  SplitRecipe recipe = one.recipe;
  recipe.within.tanh_error = 0.99 * numerics.score.tanh_error;
  const ForwardBound bound(problem, inputs, numerics);
  MergeShares all;
  for (index query = 0; query < problem.shape.queries; ++query)
    all.see(shares_of_row(answer(problem, inputs, numerics, recipe, 0, 0, query), exact(problem, inputs, 0, 0, query),
                          *bound.row(0, 0, query)));
  return all;
}

}  // namespace attestone::emulation
