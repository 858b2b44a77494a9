// SPDX-License-Identifier: Apache-2.0
// Rows in tiles through double arithmetic, their bounds and roundings; open rows one by one through more precision.
#include "reference/certified/head_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/double_certificate.hpp"
#include "reference/certified/double_double_stage.hpp"
#include "reference/certified/double_double_tile.hpp"
#include "reference/certified/elementary.hpp"
#include "reference/certified/enclosure.hpp"
#include "reference/certified/mpfr_stage.hpp"
#include "reference/certified/row_reader.hpp"
#include "reference/certified/row_tile.hpp"
#include "reference/certified/special_row.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A row with elements that double arithmetic left open.
struct OpenRow {
  index row = 0;  ///< as HeadPass counts
  OpenElements elements;
  bool special = false;
};

/// The rows of one (batch, kv head): those of the first query head of the group, then of the second, ...
class HeadPass {
 public:
  HeadPass(const Problem& problem, const Inputs& inputs, index batch, index kv_head, const Visibility& visibility,
           Truth& truth)
      : problem_(problem),
        inputs_(inputs),
        batch_(batch),
        visibility_(visibility),
        truth_(truth),
        head_(problem, inputs, batch, kv_head, visibility.seen()),
        query_reader_(inputs.query.view()),
        decide_out_(problem.output),
        first_query_head_(kv_head * (problem.shape.heads / problem.shape.kv_heads)) {
    for (const ScoreTerm& term : problem.score.terms())
      if (const auto bias = Registry<ScoreRule>::find(term.rule)->bias) biases_.push_back(bias);
  }

  void run(bool escalate) {
    const index group = problem_.shape.heads / problem_.shape.kv_heads;
    const index rows = group * static_cast<index>(truth_.queries().size());
    const index tiles = (rows + rows_per_tile - 1) / rows_per_tile;
    std::vector<std::vector<OpenRow>> open(static_cast<std::size_t>(tiles));
#pragma omp parallel
    {
      TileSums sums(head_.channels);
      const AlignedDoubles query = zeroed_doubles(head_.dim * rows_per_tile);
#pragma omp for schedule(dynamic)
      for (index tile = 0; tile < tiles; ++tile)
        open[static_cast<std::size_t>(tile)] = certify_tile(tile * rows_per_tile, rows, query.get(), sums);
    }
    std::vector<OpenRow> all;
    for (std::vector<OpenRow>& of_tile : open)
      for (OpenRow& row : of_tile) all.push_back(std::move(row));
    finish(all, escalate);
  }

 private:
  struct Place {
    index head, row, query;
  };
  Place place(index row) const {
    const auto queries = static_cast<index>(truth_.queries().size());
    const index of_truth = row % queries;
    return {first_query_head_ + row / queries, of_truth, truth_.queries()[static_cast<std::size_t>(of_truth)]};
  }
  RowAnswer answer(index row) const { return {&truth_, batch_, place(row).head, place(row).row}; }
  std::span<const std::uint64_t> visible(index row) const { return visibility_.row(place(row).row); }

  /// What the bias of a tile needs to know.
  struct BiasContext {
    const HeadPass* pass;
    index first_row, rows;
  };
  static void fill_biases(const void* context, index word, double* biases) {
    const auto& [pass, first_row, rows] = *static_cast<const BiasContext*>(context);
    const Problem& p = pass->problem_;
    const Sequence sequence = p.sequence(pass->batch_);
    for (index r = 0; r < rows_per_tile; ++r) {
      const Place place = pass->place(std::min(first_row + r, rows - 1));
      for (index key = 0; key < keys_per_word; ++key) {
        double sum = 0;  // what Score::bias adds up, without looking up names for every pair
        for (const auto bias : pass->biases_)
          sum += bias(p.shape, sequence, {pass->batch_, place.head, place.query, word * keys_per_word + key});
        biases[key * rows_per_tile + r] = sum;
      }
    }
  }

  std::vector<OpenRow> certify_tile(index first_row, index rows, double* query, TileSums& sums) {
    const std::vector<std::uint64_t> nothing(visibility_.row(0).size());
    const BiasContext context{this, first_row, rows};
    TileTask task{.head = &head_,
                  .query = query,
                  .visible = {},
                  .words = visibility_.words_per_row(),
                  .scale = problem_.scale(),
                  .softcap = problem_.score.softcap(),
                  .bias = problem_.score.has_bias() ? fill_biases : nullptr,
                  .bias_context = &context};
    VectorFacts facts[rows_per_tile];
    bool special_query[rows_per_tile] = {};
    std::vector<double> values(static_cast<std::size_t>(head_.dim));
    const index used = std::min(rows_per_tile, rows - first_row);
    for (index r = 0; r < rows_per_tile; ++r) {
      task.visible[static_cast<std::size_t>(r)] = r < used ? visible(first_row + r).data() : nothing.data();
      if (r < used) query_reader_.read(batch_, place(first_row + r).head, place(first_row + r).query, values);
      special_query[r] = zero_specials(values);
      facts[r] = vector_facts(values);
      for (index c = 0; c < head_.dim; ++c) query[c * rows_per_tile + r] = values[static_cast<std::size_t>(c)];
    }
    sum_rows(task, sums);
    std::vector<OpenRow> open;
    for (index r = 0; r < used; ++r) {
      OpenRow row{first_row + r, certify_row(first_row + r, r, facts[r], sums), false};
      row.special = sums.total[r] != 0 && (special_query[r] || sees_special(first_row + r) ||
                                           !(facts[r].norm * sums.key_norm[r] * std::fabs(task.scale) < infinity));
      if (row.special || !row.elements.empty()) open.push_back(std::move(row));
    }
    return open;
  }

  bool sees_special(index row) const {
    if (!head_.has_special) return false;
    for (std::size_t w = 0; w < visible(row).size(); ++w)
      if (visible(row)[w] & (head_.special_key[w] | head_.special_value[w])) return true;
    return false;
  }

  /// Turns the sums of one lane into certified numbers; what they leave open.
  OpenElements certify_row(index row, index lane, const VectorFacts& query, const TileSums& sums) {
    const RowAnswer answer = this->answer(row);
    const double total = sums.total[lane];
    OpenElements open;
    if (total == 0) {
      for (index c = 0; c < problem_.shape.value_dim; ++c) answer.out(c) = {};
      answer.log_sum_exp() = {-infinity, 0, -infinity, true};
      return open;
    }
    const RowCertificate bound = double_certificate(problem_, head_, query, sums, lane);
    for (index c = 0; c < problem_.shape.value_dim; ++c) {
      const auto at = static_cast<std::size_t>(c * rows_per_tile + lane);
      const double out = sums.out[at] / total, mean = sums.magnitude[at] / total;
      const Enclosure found = enclosed(out, bound.out(mean, std::fabs(out)));
      answer.out(c) = decide_out_(found.high, found.bound);
      if (!answer.out(c).decided) open.channels.push_back(c);
    }
    answer.log_sum_exp() =
        certified(enclosed_log_sum_exp(sums.exponent[lane], total, bound), problem_.log_sum_exp_dtype());
    open.log_sum_exp = !answer.log_sum_exp().decided;
    return open;
  }

  /// Open rows, by groups that double-double arithmetic takes together.
  void finish(std::vector<OpenRow>& rows, bool escalate) {
    const index count = static_cast<index>(rows.size()), groups = (count + wide_lanes - 1) / wide_lanes;
    Decisions& total = truth_.decisions;
#pragma omp parallel
    {
      Decisions decisions;
#pragma omp for schedule(dynamic)
      for (index group = 0; group < groups; ++group) {
        const index first = group * wide_lanes, taken = std::min(wide_lanes, count - first);
        finish({rows.data() + first, static_cast<std::size_t>(taken)}, escalate, decisions);
      }
#pragma omp critical(attestone_decisions)
      {
        total.in_double_double += decisions.in_double_double;
        total.in_mpfr += decisions.in_mpfr;
        total.ties += decisions.ties;
        total.undecided += decisions.undecided;
      }
    }
  }

  void finish(std::span<OpenRow> rows, bool escalate, Decisions& decisions) {
    std::vector<std::vector<double>> queries(rows.size(), std::vector<double>(static_cast<std::size_t>(head_.dim)));
    std::vector<WideRowWork> work;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Place at = place(rows[i].row);
      query_reader_.read(batch_, at.head, at.query, queries[i]);
      zero_specials(queries[i]);
      const RowTask task{&problem_, &head_, batch_, at.head, at.query, queries[i], visible(rows[i].row)};
      OpenElements& open = rows[i].elements;
      if (rows[i].special) open = answer_special_row(task, inputs_, std::move(open), answer(rows[i].row), decisions);
      if (!open.empty()) work.push_back({task, &open, answer(rows[i].row)});
    }
    if (escalate && !work.empty()) decide_in_double_double(work, decisions);
    for (const auto& [task, open, answer] : work) {
      if (escalate)
        decide_in_mpfr(task, *open, answer, decisions);
      else
        decisions.undecided += static_cast<index>(open->channels.size()) + open->log_sum_exp;
    }
  }

  const Problem& problem_;
  const Inputs& inputs_;
  index batch_;
  const Visibility& visibility_;
  Truth& truth_;
  DecodedHead head_;
  RowReader query_reader_;
  QuickDecision decide_out_;
  index first_query_head_;
  std::vector<decltype(ScoreRule::bias)> biases_;
};

}  // namespace

void certify_head(const Problem& problem, const Inputs& inputs, index batch, index kv_head,
                  const Visibility& visibility, bool escalate, Truth& truth) {
  HeadPass(problem, inputs, batch, kv_head, visibility, truth).run(escalate);
}

}  // namespace attestone
