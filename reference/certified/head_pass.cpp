// SPDX-License-Identifier: Apache-2.0
// Rows in tiles through double arithmetic, their bounds and roundings; open rows by groups through more precision.
#include "reference/certified/head_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/double_double_stage.hpp"
#include "reference/certified/double_double_tile.hpp"
#include "reference/certified/enclosure.hpp"
#include "reference/certified/mpfr_stage.hpp"
#include "reference/certified/special_row.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

index tiles_of(index rows) { return (rows + rows_per_tile - 1) / rows_per_tile; }

/// The element in place i of a tile's answers.
Certified decided(const Answers& answers, index i, const DType& dtype) {
  const auto at = static_cast<std::size_t>(i);
  const double value = answers.value[at], bound = answers.bound[at], rounded = answers.rounded[at];
  if (!std::isnan(rounded)) return {value, bound, rounded, true};
  return certified(enclosed(value, bound), dtype);
}

}  // namespace

TileWorkspace::TileWorkspace(const Shape& shape)
    : query_rows(uninitialised_doubles(shape.dim * rows_per_tile)),
      query(uninitialised_doubles(shape.dim * rows_per_tile)),
      sums(round_up(shape.value_dim, channels_per_block)),
      answers(round_up(shape.value_dim, channels_per_block)) {}

HeadPass::HeadPass(const Problem& problem, const Inputs& inputs, index batch, index kv_head,
                   const Visibility& visibility, Truth& truth)
    : problem_(problem),
      inputs_(inputs),
      batch_(batch),
      visibility_(visibility),
      truth_(truth),
      head_(problem, inputs, batch, kv_head),
      certificates_(problem, head_),
      query_reader_(inputs.query.view()),
      biases_(problem, inputs),
      first_query_head_(kv_head * (problem.shape.heads / problem.shape.kv_heads)),
      rows_(problem.shape.heads / problem.shape.kv_heads * static_cast<index>(truth.queries().size())),
      nothing_(static_cast<std::size_t>(visibility.words_per_row())),
      open_(static_cast<std::size_t>(tiles_of(rows_))) {}

HeadPass::Place HeadPass::place(index row) const {
  const auto queries = static_cast<index>(truth_.queries().size());
  const index of_truth = row % queries;
  return {first_query_head_ + row / queries, of_truth, truth_.queries()[static_cast<std::size_t>(of_truth)]};
}

/// What the bias of a tile needs to know.
struct HeadPass::BiasContext {
  const HeadPass* pass;
  index first_row, rows;  ///< of the tile
  std::span<double> scratch;
};

void HeadPass::fill_biases(const void* context, index first_key, index keys, double* biases) {
  const auto& [pass, first_row, rows, scratch] = *static_cast<const BiasContext*>(context);
  const std::span<double> of_row = scratch.first(static_cast<std::size_t>(keys));
  for (index lane = 0; lane < rows_per_tile; ++lane) {
    std::fill(of_row.begin(), of_row.end(), 0.0);
    if (lane < rows) {
      const Place at = pass->place(first_row + lane);
      pass->biases_.add_to({pass->batch_, at.head, at.query, first_key}, of_row);
    }
    for (std::size_t key = 0; key < of_row.size(); ++key)
      biases[key * rows_per_tile + static_cast<std::size_t>(lane)] = of_row[key];
  }
}

void HeadPass::certify_tile(index tile, TileWorkspace& work) {
  const index first_row = tile * rows_per_tile, used = std::min(rows_per_tile, rows_ - first_row), dim = head_.dim;
  const BiasContext context{this, first_row, used, work.biases};
  TileTask task{.head = &head_,
                .query = work.query.get(),
                .visible = {},
                .words = visibility_.words_per_row(),
                .scale = problem_.scale(),
                .softcap = problem_.score.softcap(),
                .bias = biases_ ? fill_biases : nullptr,
                .bias_context = &context};
  task.visible.fill(nothing_.data());
  VectorFacts facts[rows_per_tile];
  bool special_query[rows_per_tile] = {};
  for (index lane = 0; lane < used; ++lane) {
    const Place at = place(first_row + lane);
    const std::span<double> row(work.query_rows.get() + lane * dim, static_cast<std::size_t>(dim));
    task.visible[static_cast<std::size_t>(lane)] = visibility_.row(at.row).data();
    query_reader_.read(batch_, at.head, at.query, row);
    facts[lane] = cleaned_facts(row, special_query[lane]);
  }
  std::fill(work.query_rows.get() + used * dim, work.query_rows.get() + rows_per_tile * dim, 0.0);
  for (index c = 0; c < dim; ++c)
    for (index lane = 0; lane < rows_per_tile; ++lane)
      work.query[static_cast<std::size_t>(c * rows_per_tile + lane)] =
          work.query_rows[static_cast<std::size_t>(lane * dim + c)];
  sum_rows(task, work.sums);

  TileCertificates certificates;
  for (index lane = 0; lane < rows_per_tile; ++lane)
    certificates[static_cast<std::size_t>(lane)] = certificates_(facts[lane], work.sums, lane);
  answer_tile(problem_, work.sums, certificates, head_.channels, work.answers);
  for (index lane = 0; lane < used; ++lane) {
    const index row = first_row + lane;
    OpenElements elements = certify_row(row, lane, work);
    const double product = facts[lane].norm * work.sums.key_norm[lane];
    const bool special = work.sums.total[lane] != 0 &&
                         (special_query[lane] || sees_special(row) || !(product * std::fabs(task.scale) < infinity));
    if (special || !elements.empty())
      open_[static_cast<std::size_t>(tile)].push_back({row, std::move(elements), special});
  }
}

bool HeadPass::sees_special(index row) const {
  if (!head_.has_special) return false;
  const std::span<const std::uint64_t> words = visible(row);
  for (std::size_t w = 0; w < words.size(); ++w)
    if (words[w] & (head_.special_key[w] | head_.special_value[w])) return true;
  return false;
}

/// Stores the answers of one lane; what they leave open.
OpenElements HeadPass::certify_row(index row, index lane, const TileWorkspace& work) {
  const RowAnswer answer = this->answer(place(row));
  const std::span<Certified> out(&answer.out(0), static_cast<std::size_t>(problem_.shape.value_dim));
  OpenElements open;
  if (work.sums.total[lane] == 0) {
    std::fill(out.begin(), out.end(), Certified{});
    answer.log_sum_exp() = {-infinity, 0, -infinity, true};
    return open;
  }
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c] = decided(work.answers.out, static_cast<index>(c) * rows_per_tile + lane, problem_.output);
    if (!out[c].decided) open.channels.push_back(static_cast<index>(c));
  }
  answer.log_sum_exp() = decided(work.answers.log_sum_exp, lane, problem_.log_sum_exp_dtype());
  open.log_sum_exp = !answer.log_sum_exp().decided;
  return open;
}

void HeadPass::collect_open_rows() {
  for (std::vector<OpenRow>& of_tile : open_)
    for (OpenRow& row : of_tile) all_open_.push_back(std::move(row));
}

index HeadPass::groups() const { return (static_cast<index>(all_open_.size()) + wide_lanes - 1) / wide_lanes; }

void HeadPass::finish(index group, bool escalate, Decisions& decisions) {
  const auto first = static_cast<std::size_t>(group * wide_lanes);
  const std::span<OpenRow> rows =
      std::span(all_open_).subspan(first, std::min<std::size_t>(wide_lanes, all_open_.size() - first));
  std::vector<std::vector<double>> queries(rows.size(), std::vector<double>(static_cast<std::size_t>(head_.dim)));
  std::vector<WideRowWork> work;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Place at = place(rows[i].row);
    query_reader_.read(batch_, at.head, at.query, queries[i]);
    zero_specials(queries[i]);
    const RowTask task{&problem_, &head_, &biases_, batch_, at.head, at.query, queries[i], visible(rows[i].row)};
    OpenElements& open = rows[i].elements;
    if (rows[i].special) open = answer_special_row(task, inputs_, std::move(open), answer(at), decisions);
    if (!open.empty()) work.push_back({task, &open, answer(at)});
  }
  if (escalate && !work.empty()) decide_in_double_double(work, decisions);
  for (const auto& [task, open, answer] : work) {
    if (escalate)
      decide_in_mpfr(task, *open, answer, decisions);
    else
      decisions.undecided += static_cast<index>(open->channels.size()) + open->log_sum_exp;
  }
}

}  // namespace attestone
