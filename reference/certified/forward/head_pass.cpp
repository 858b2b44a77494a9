// SPDX-License-Identifier: Apache-2.0
// Rows in tiles through double arithmetic, their bounds and roundings; open rows by groups through more precision.
#include "reference/certified/forward/head_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/forward/double_double_stage.hpp"
#include "reference/certified/forward/double_double_tile.hpp"
#include "reference/certified/forward/mpfr_stage.hpp"
#include "reference/certified/forward/special_row.hpp"
#include "reference/certified/numbers/enclosure.hpp"
#include "reference/certified/numbers/store_elements.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The fewest work items per head, for load balance; a head of fewer tiles has fewer.
constexpr index least_pieces = 8;

index tiles_of(index rows) { return (rows + rows_per_tile - 1) / rows_per_tile; }

/// The element in place i of a tile's answers.
Certified decided(const Answers& answers, index i, const DType& dtype) {
  const auto at = static_cast<std::size_t>(i);
  return certified(answers.value[at], answers.bound[at], answers.rounded[at], dtype);
}

}  // namespace

TileRows::TileRows(const Shape& shape)
    : query_rows(uninitialised_doubles(shape.dim * rows_per_tile)),
      query(uninitialised_doubles(shape.dim * rows_per_tile)),
      sums(round_up(shape.value_dim, channel_multiple)),
      kept(static_cast<std::size_t>(rows_per_tile * ((shape.keys + keys_per_word - 1) / keys_per_word))) {}

TileWorkspace::TileWorkspace(const Shape& shape, index count) : answers(round_up(shape.value_dim, channel_multiple)) {
  for (index tile = 0; tile < count; ++tile) tiles.emplace_back(shape);
}

HeadPass::HeadPass(const Problem& problem, const Inputs& inputs, index batch, index kv_head,
                   const Visibility& visibility, Truth& truth)
    : problem_(problem),
      inputs_(inputs),
      batch_(batch),
      kv_head_(kv_head),
      visibility_(visibility),
      truth_(truth),
      head_(problem, inputs, batch, kv_head),
      certificates_(problem, head_),
      query_reader_(inputs.query.view()),
      biases_(problem, inputs),
      dropout_(problem),
      first_query_head_(kv_head * (problem.shape.heads / problem.shape.kv_heads)),
      rows_(problem.shape.heads / problem.shape.kv_heads * static_cast<index>(truth.queries().size())),
      nothing_(static_cast<std::size_t>(visibility.words_per_row())),
      open_(static_cast<std::size_t>(tiles_of(rows_))),
      tiles_per_piece_(std::clamp(std::ssize(open_) / least_pieces, index{1}, tiles_at_once)) {}

HeadPass::Place HeadPass::place(index row) const {
  const auto queries = static_cast<index>(truth_.queries().size());
  const index of_truth = row % queries;
  return {first_query_head_ + row / queries, of_truth, truth_.queries()[static_cast<std::size_t>(of_truth)]};
}

std::optional<double> HeadPass::sink(index head) const {
  if (!inputs_.sink) return std::nullopt;
  const double sink = inputs_.sink->view().value(0, head, 0, 0);
  return sink == -infinity ? std::nullopt : std::optional(sink);
}

/// The inputs and results of adding the bias of a tile.
struct HeadPass::BiasContext {
  const HeadPass* pass;
  index first_row, rows;  ///< of the tile
  std::span<double> scratch;
  bool* special;  ///< [16], becomes true for rows that see a bias which is not finite
};

void HeadPass::fill_biases(const void* context, index first_key, index keys, double* biases) {
  const auto& [pass, first_row, rows, scratch, special] = *static_cast<const BiasContext*>(context);
  const std::span<double> of_row = scratch.first(static_cast<std::size_t>(keys));
  for (index lane = 0; lane < rows_per_tile; ++lane) {
    std::fill(of_row.begin(), of_row.end(), 0.0);
    if (lane < rows) {
      const Place at = pass->place(first_row + lane);
      const auto real_keys = static_cast<std::size_t>(std::min(keys, pass->problem_.shape.keys - first_key));
      pass->biases_.add_to({pass->batch_, at.head, at.query, first_key}, of_row.first(real_keys));
      for (std::size_t key = 0; key < real_keys; ++key)
        if (!std::isfinite(of_row[key])) {
          special[lane] = special[lane] || bit(pass->visible(at), first_key + static_cast<index>(key));
          of_row[key] = 0;
        }
    }
    for (std::size_t key = 0; key < of_row.size(); ++key)
      biases[key * rows_per_tile + static_cast<std::size_t>(lane)] = of_row[key];
  }
}

/// Reads what one lane of the tile is to compute.
void HeadPass::read_row(index row, index lane, TileTask& task, TileRows& work) const {
  const Place at = place(row);
  const auto l = static_cast<std::size_t>(lane), dim = static_cast<std::size_t>(head_.dim);
  task.visible[l] = visible(at).data();
  if (dropout_) {
    const auto words = static_cast<std::size_t>(task.words);
    const std::span kept = std::span(work.kept).subspan(l * words, words);
    keep_pairs(dropout_, {batch_, at.head, at.query, 0}, visible(at), kept);
    task.kept[l] = kept.data();
  }
  const std::span<double> values(work.query_rows.get() + l * dim, dim);
  query_reader_.read(batch_, at.head, at.query, values);
  work.facts[l] = cleaned_facts(values, work.special[l]);
  const double sink = this->sink(at.head).value_or(-infinity);
  work.special[l] = work.special[l] || !(sink < infinity);
  work.sinks[lane] = sink < infinity ? sink : -infinity;
}

void HeadPass::certify_tiles(index piece, TileWorkspace& work) {
  const index first = piece * tiles_per_piece_, count = std::min(tiles_per_piece_, std::ssize(open_) - first);
  std::array<BiasContext, tiles_at_once> biases;
  std::array<TileTask, tiles_at_once> tasks;
  for (index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    TileRows& rows = work.tiles[at];
    biases[at] = {this, (first + i) * rows_per_tile, used_rows(first + i), work.biases, rows.special.data()};
    tasks[at] = read_tile(first + i, biases[at], rows);
  }
  sum_rows(std::span(tasks).first(static_cast<std::size_t>(count)));
  for (index i = 0; i < count; ++i) store_tile(first + i, work.tiles[static_cast<std::size_t>(i)], work.answers);
}

TileTask HeadPass::read_tile(index tile, const BiasContext& context, TileRows& rows) const {
  const index first_row = tile * rows_per_tile, used = used_rows(tile), dim = head_.dim;
  TileTask task{
      .head = &head_,
      .query = rows.query.get(),
      .visible = {},
      .kept = {},
      .words = visibility_.words_per_row(),
      .scale = problem_.scale(),
      .softcap = problem_.score.softcap(),
      .sink = inputs_.sink ? rows.sinks : nullptr,
      .bias = biases_ ? fill_biases : nullptr,
      .bias_context = &context,
      .sums = &rows.sums,
      .answers = {&answer(place(first_row)).out(0), static_cast<std::size_t>(used * problem_.shape.value_dim)}};
  task.visible.fill(nothing_.data());
  if (dropout_) task.kept.fill(nothing_.data());
  std::fill_n(rows.sinks, rows_per_tile, -infinity);
  rows.special.fill(false);
  for (index lane = 0; lane < used; ++lane) read_row(first_row + lane, lane, task, rows);
  std::fill(rows.query_rows.get() + used * dim, rows.query_rows.get() + rows_per_tile * dim, 0.0);
  for (index c = 0; c < dim; ++c)
    for (index lane = 0; lane < rows_per_tile; ++lane)
      rows.query[static_cast<std::size_t>(c * rows_per_tile + lane)] =
          rows.query_rows[static_cast<std::size_t>(lane * dim + c)];
  return task;
}

/// The answers of a tile from its sums; what they leave open is kept for finish().
void HeadPass::store_tile(index tile, const TileRows& rows, TileAnswers& answers) {
  TileCertificates certificates;
  for (std::size_t lane = 0; lane < certificates.size(); ++lane)
    certificates[lane] = certificates_(rows.facts[lane], rows.sums, static_cast<index>(lane));
  answer_tile(problem_, rows.sums, certificates, head_.channels, answers);
  std::array<Certified*, rows_per_tile> to{};
  for (index lane = 0; lane < used_rows(tile); ++lane)
    if (rows.sums.tiles[lane] != 0)
      to[static_cast<std::size_t>(lane)] = &answer(place(tile * rows_per_tile + lane)).out(0);
  const std::uint32_t open = store_lanes(answers.out.quick(), problem_.shape.value_dim, to);
  for (index lane = 0; lane < used_rows(tile); ++lane) {
    const index row = tile * rows_per_tile + lane;
    OpenElements elements = certify_row(row, lane, (open >> lane) & 1, rows.sums, answers);
    const bool special =
        rows.sums.tiles[lane] != 0 && (rows.special[static_cast<std::size_t>(lane)] || sees_special(place(row)));
    if (special || !elements.empty())
      open_[static_cast<std::size_t>(tile)].push_back({row, std::move(elements), special});
  }
}

bool HeadPass::sees_special(const Place& at) const {
  if (!head_.has_special) return false;
  const std::span<const std::uint64_t> words = visible(at);
  for (std::size_t w = 0; w < words.size(); ++w)
    if (words[w] & (head_.special_key[w] | head_.special_value[w])) return true;
  return false;
}

/// Stores those answers of one lane that store_lanes did not; what they leave open.
OpenElements HeadPass::certify_row(index row, index lane, bool any_open, const TileSums& sums,
                                   const TileAnswers& answers) {
  const RowAnswer answer = this->answer(place(row));
  const std::span<Certified> out(&answer.out(0), static_cast<std::size_t>(problem_.shape.value_dim));
  OpenElements open;
  if (sums.tiles[lane] == 0) {
    answer_empty_row(answer, sink(place(row).head));
    return open;
  }
  for (std::size_t c = 0; any_open && c < out.size(); ++c) {
    out[c] = decided(answers.out, static_cast<index>(c) * rows_per_tile + lane, problem_.output);
    if (!out[c].decided) open.channels.push_back(static_cast<index>(c));
  }
  answer.log_sum_exp() = decided(answers.log_sum_exp, lane, problem_.log_sum_exp_dtype());
  open.log_sum_exp = !answer.log_sum_exp().decided;
  return open;
}

/// O is 0 and log_sum_exp the sink. A sink of NaN or infinity may reach O as well: it is a visible score like any
/// other.
void HeadPass::answer_empty_row(const RowAnswer& answer, std::optional<double> sink) const {
  std::fill_n(&answer.out(0), problem_.shape.value_dim, Certified{});
  answer.log_sum_exp() = certified_exactly(sink.value_or(-infinity), problem_.log_sum_exp_dtype());
  if (!inputs_.sink || (sink && std::isfinite(*sink))) return;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (index channel = 0; channel < problem_.shape.value_dim; ++channel) answer.admit(channel, {0, nan});
  answer.admit(-1, {sink.value_or(-infinity), nan});
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
  std::vector<std::vector<std::uint64_t>> kept(rows.size(), std::vector<std::uint64_t>(nothing_.size()));
  std::vector<std::vector<double>> queries(rows.size(), std::vector<double>(static_cast<std::size_t>(head_.dim)));
  std::vector<WideRowWork> work;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Place at = place(rows[i].row);
    query_reader_.read(batch_, at.head, at.query, queries[i]);
    zero_specials(queries[i]);
    keep_pairs(dropout_, {batch_, at.head, at.query, 0}, visible(at), kept[i]);
    const RowTask task{&problem_, &head_,     &biases_,    batch_,  at.head,
                       at.query,  queries[i], visible(at), kept[i], sink(at.head)};
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
