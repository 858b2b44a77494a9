// SPDX-License-Identifier: Apache-2.0
// The certified backward pass: one kv head after the other, its pieces shared among all threads.
#include <algorithm>
#include <functional>
#include <numeric>

#include "reference/certified/backward/gradient_pass.hpp"
#include "reference/certified/backward/mpfr_gradients.hpp"
#include "reference/certified/numbers/certified_environment.hpp"
#include "reference/require.hpp"

namespace attestone {
namespace {

/// Below this many multiply-adds waking a second thread costs more than it saves.
constexpr double least_parallel_work = 2e6;

std::vector<index> chosen_rows(const std::optional<std::vector<index>>& chosen, index extent) {
  std::vector<index> all(static_cast<std::size_t>(extent));
  std::iota(all.begin(), all.end(), index{0});
  if (!chosen) return all;
  require(std::adjacent_find(chosen->begin(), chosen->end(), std::greater_equal<index>()) == chosen->end(),
          "the chosen rows ascend");
  require(chosen->empty() || (chosen->front() >= 0 && chosen->back() < extent), "the chosen rows are of the problem");
  return *chosen;
}

void differentiate(GradientPass& pass, const Shape& shape, bool parallel) {
#pragma omp parallel if (parallel)
  {
    const CertifiedEnvironment environment;  // of this thread of the team
#pragma omp for schedule(dynamic)
    for (index word = 0; word < pass.rows().words(); ++word) pass.rows().decode_keys(word);
#pragma omp for schedule(dynamic)
    for (index row_word = 0; row_word < pass.rows().row_words(); ++row_word) pass.rows().decode_rows(row_word);
#pragma omp single
    pass.conclude_decoding();
    GradientWorkspace work(shape);
    for (index panel = 0; panel < pass.panels(); ++panel) {
#pragma omp for schedule(dynamic)
      for (index piece = 0; piece < pass.pieces_of(panel); ++piece) pass.differentiate(panel, piece, work);
#pragma omp for schedule(dynamic)
      for (index word = 0; word < pass.rows().words(); ++word) pass.add_to_keys(panel, word);
    }
#pragma omp for schedule(dynamic)
    for (index word = 0; word < pass.rows().words(); ++word) pass.store_keys(word, work);
  }
}

index undecided_in(const CertifiedTensor& tensor) {
  return std::ranges::count(tensor.elements(), false, &Certified::decided);
}

/// `undecided`: those of dQ, dK and dV, if that is known.
Decisions count(const GradientTruth& truth, std::optional<index> undecided) {
  Decisions decisions;
  index all = 0;
  for (const CertifiedTensor* tensor : {&truth.query, &truth.key, &truth.value}) {
    all += std::ssize(tensor->elements());
    if (!undecided) decisions.undecided += undecided_in(*tensor);
  }
  decisions.undecided += undecided.value_or(0);
  for (const auto* tensor : {&truth.bias, &truth.sink}) {
    if (!*tensor) continue;
    all += std::ssize((*tensor)->elements());
    decisions.undecided += undecided_in(**tensor);
  }
  decisions.in_double = all - decisions.undecided;
  return decisions;
}

GradientTruth certify(const Problem& problem, const Inputs& inputs, const CertifyGradientOptions& options) {
  require(inputs.dout.has_value(), "gradients are of a problem with pass=forward+backward");
  const Shape& s = problem.shape;
  std::vector<index> queries = chosen_rows(options.queries, s.queries), keys = chosen_rows(options.keys, s.keys);
  const auto query_rows = std::ssize(queries), key_rows = std::ssize(keys);
  GradientTruth truth{std::move(queries),
                      std::move(keys),
                      CertifiedTensor({s.batch, s.heads, query_rows, s.dim}),
                      CertifiedTensor({s.batch, s.kv_heads, key_rows, s.dim}),
                      CertifiedTensor({s.batch, s.kv_heads, key_rows, s.value_dim}),
                      std::nullopt,
                      std::nullopt,
                      {}};
  const std::vector<index> rows = key_rows > 0 ? chosen_rows(std::nullopt, s.queries) : truth.queries;
  if (rows.empty())  // then no pass writes them
    for (CertifiedTensor* tensor : {&truth.query, &truth.key, &truth.value}) tensor->clear();
  const bool whole = !options.queries && !options.keys;
  std::optional<BoundedTensor> bias, sink;
  if (whole && inputs.bias) bias.emplace(inputs.bias->view().extents());
  if (whole && inputs.sink) sink.emplace(inputs.sink->view().extents());
  const index group = s.heads / s.kv_heads;
  const double work =
      static_cast<double>(group * std::ssize(rows)) * static_cast<double>(s.keys * (s.dim + s.value_dim));
  std::optional<index> undecided = 0;
  for (index batch = 0; batch < s.batch && !rows.empty(); ++batch) {
    const Visibility visibility(problem, inputs, batch, rows);
    for (index kv_head = 0; kv_head < s.kv_heads; ++kv_head) {
      GradientPass pass(problem, inputs, batch, kv_head, visibility, rows, truth, bias ? &*bias : nullptr);
      differentiate(pass, s, work >= least_parallel_work);
      if (sink) pass.add_sink_gradients(*sink);
      if (pass.mark_specials(bias ? &*bias : nullptr, sink ? &*sink : nullptr)) undecided.reset();
      if (undecided) *undecided += pass.undecided();
    }
  }
  if (bias) truth.bias = bias->certified(problem);
  if (sink) truth.sink = sink->certified(problem);
  truth.decisions = count(truth, undecided);
  if (options.escalate) decide_gradients_in_mpfr(problem, inputs, rows, truth);
  return truth;
}

}  // namespace

GradientTruth certify_backward(const Problem& problem, const Inputs& inputs, const CertifyGradientOptions& options) {
  return in_certified_environment([&] { return certify(problem, inputs, options); });
}

}  // namespace attestone
