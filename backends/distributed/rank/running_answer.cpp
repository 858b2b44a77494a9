// SPDX-License-Identifier: Apache-2.0
// Three ways of merging (docs/tolerance.md, "Merges"): answers by their log_sum_exp, sums by their largest score, and
// sums that refer to the same number.
#include "backends/distributed/rank/running_answer.hpp"

#include <cmath>
#include <limits>

#include "backends/cpu/attend/merge.hpp"
#include "backends/cpu/parts/head_sink.hpp"
#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/ring_norms.hpp"

namespace attestone::inline backends {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// The channels of a row of one head, f32; where there is one channel, its number.
float* row_of(const Buffer& buffer, index head, index row) {
  return reinterpret_cast<float*>(buffer.all().at(0, head, row, 0));
}
float number(const Buffer& buffer, index head, index row) { return *row_of(buffer, head, row); }

/// A buffer of one number, or of all channels, for each row and head, f32, from 0 on.
class Numbers {
 public:
  Numbers(Device& device, std::string_view name, index rows, index heads, index channels)
      : buffer_(device, name, dtype("f32"), rows, heads, channels) {
    buffer_.clear();
  }

  float* operator()(index head, index row) const { return row_of(buffer_, head, row); }
  Buffer& buffer() { return buffer_; }

 private:
  Buffer buffer_;
};

/// visit(head, row, row of the part) of what the blocks answer, sequence after sequence.
template <class Visit>
void for_each_row(std::span<const SequenceBlock> blocks, const LocalQueries& queries, Visit visit) {
  index from = 0;
  for (const SequenceBlock& block : blocks)
    for (index query = block.queries.first; query <= block.queries.last; ++query, ++from)
      for (index head = 0; head < queries.heads.query.count(); ++head)
        visit(head, queries.rows.begin(block.sequence) + query, from);
}

/// The sums that both ways of merging hold and hand out.
class Merged : public RunningAnswer {
 public:
  Merged(Rank& rank, const LocalQueries& queries)
      : rank_(rank),
        rows_(queries.rows.count()),
        heads_(queries.heads.query),
        value_dim_(rank.attention.whole().shape.value_dim),
        out_(rank.device, "sum of out", rows_, heads_.count(), value_dim_) {}

 protected:
  Numbers numbers(std::string_view name, index rows) const { return {rank_.device, name, rows, heads_.count(), 1}; }
  HeadSink sink(index head) const { return {rank_.attention.inputs(), heads_.first + head}; }
  Buffer stored_log_sum_exp() const {
    return {rank_.device, "log_sum_exp", rank_.attention.whole().log_sum_exp_dtype(), rows_, heads_.count(), 1};
  }
  RankAnswer with(Buffer log_sum_exp) {
    Buffer out(rank_.device, "out", rank_.attention.whole().output, rows_, heads_.count(), value_dim_);
    round_into(out_.buffer().all(), out.all());
    out_.buffer().release();
    return {std::move(out), std::move(log_sum_exp)};
  }

  Rank& rank_;
  index rows_;
  Interval heads_;
  index value_dim_;
  Numbers out_;
};

/// Form B, as ring-flash-attention merges: out -= sigmoid(lse_part - lse) (out - out_part), and
/// lse = max + log1p(e^(min - max)). That is the published lse -= log sigmoid(lse - lse_part), which loses lse where it
/// starts from a sink far below.
class BySigmoid final : public Merged {
 public:
  BySigmoid(Rank& rank, const LocalQueries& queries, const DType& part)
      : Merged(rank, queries), part_(part), log_sum_exp_(numbers("log_sum_exp", rows_)) {
    for (index head = 0; head < heads_.count(); ++head)
      for (index row = 0; row < rows_; ++row) *log_sum_exp_(head, row) = sink(head).logit();
  }

  Buffers room(index rows) const override {
    Buffers room;
    room.emplace_back(rank_.device, "part of out", part_, rows, heads_.count(), value_dim_);
    room.emplace_back(rank_.device, "part of log_sum_exp", dtype("f32"), rows, heads_.count(), 1);
    return room;
  }
  Buffers part(std::span<const SequenceBlock> blocks, const LocalQueries& queries,
               const LocalKeys& keys) const override {
    Buffers part = room(query_rows(blocks));
    rank_.attention.forward(blocks, queries, keys, part[0], part[1]);
    return part;
  }
  void merge(std::span<const SequenceBlock> blocks, const LocalQueries& queries, const Buffers& part) override {
    const View out = part[0].all();
    for_each_row(blocks, queries, [&](index head, index row, index from) {
      merge_row(*log_sum_exp_(head, row), out_(head, row), number(part[1], head, from), out, head, from);
    });
  }
  RankAnswer finish() override {
    Buffer& merged = log_sum_exp_.buffer();
    if (rank_.attention.whole().log_sum_exp_dtype() == merged.dtype()) return with(std::move(merged));
    Buffer log_sum_exp = stored_log_sum_exp();
    round_into(merged.all(), log_sum_exp.all());
    merged.release();
    return with(std::move(log_sum_exp));
  }

 private:
  void merge_row(float& all, float* out, double log_sum_exp, const View& part, index head, index from) const {
    if (log_sum_exp == nothing) return;
    const auto share = static_cast<float>(1 / (1 + std::exp(double{all} - log_sum_exp)));
    for (index c = 0; c < value_dim_; ++c)
      out[c] -= share * (out[c] - static_cast<float>(part.value(0, head, from, c)));
    all = static_cast<float>(log_of_both(all, log_sum_exp));
  }

  const DType& part_;
  Numbers log_sum_exp_;
};

/// Form A, as splash attention merges: with m' the larger m, l = 2^(m - m') l + 2^(m_part - m') l_part, out likewise;
/// out / l at the end.
class ByRescaling : public Merged {
 public:
  ByRescaling(Rank& rank, const LocalQueries& queries)
      : Merged(rank, queries), m_(numbers("largest score", rows_)), l_(numbers("sum of weights", rows_)) {
    for (index head = 0; head < heads_.count(); ++head)
      for (index row = 0; row < rows_; ++row) {
        const OnlineSoftmax start = sink(head).start();
        *m_(head, row) = start.m, *l_(head, row) = start.l;
      }
  }

  Buffers room(index rows) const override {
    Buffers room;
    room.emplace_back(rank_.device, "part of out", dtype("f32"), rows, heads_.count(), value_dim_);
    for (const char* name : {"part of largest score", "part of sum of weights"})
      room.emplace_back(rank_.device, name, dtype("f32"), rows, heads_.count(), 1);
    return room;
  }
  Buffers part(std::span<const SequenceBlock> blocks, const LocalQueries& queries,
               const LocalKeys& keys) const override {
    Buffers part = room(query_rows(blocks));
    rank_.attention.forward_partials(blocks, queries, keys, {part[0], part[1], part[2]});
    return part;
  }
  void merge(std::span<const SequenceBlock> blocks, const LocalQueries& queries, const Buffers& part) override {
    for_each_row(blocks, queries, [&](index head, index row, index from) {
      const float m = number(part[1], head, from), l = number(part[2], head, from);
      if (m == nothing && l == 0) return;
      const float larger = std::fmax(*m_(head, row), m);
      const float own = power(*m_(head, row), larger), others = power(m, larger);
      *m_(head, row) = larger;
      *l_(head, row) = own * *l_(head, row) + others * l;
      const float* out = row_of(part[0], head, from);
      for (index c = 0; c < value_dim_; ++c) out_(head, row)[c] = own * out_(head, row)[c] + others * out[c];
    });
  }

  RankAnswer finish() override {
    Buffer log_sum_exp = stored_log_sum_exp();
    for (index head = 0; head < heads_.count(); ++head) {
      const HeadSink from = sink(head);
      for (index row = 0; row < rows_; ++row) {
        const float l = *l_(head, row);
        log_sum_exp.all().set(0, head, row, 0, from.log_sum_exp({*m_(head, row), l}));
        for (index c = 0; c < value_dim_ && l != 0; ++c) out_(head, row)[c] /= l;
      }
    }
    m_.buffer().release();
    l_.buffer().release();
    return with(std::move(log_sum_exp));
  }

 protected:
  Numbers m_, l_;

 private:
  static float power(float m, float larger) { return static_cast<float>(std::exp2(double{m} - larger)); }
};

/// Form D, with one m for all parts: factors are 1, and l and out are added. MaxDiffusion, ring_attention_kernel.py,
/// `_accumulate_scan`.
class OfFixedMaxima final : public ByRescaling {
 public:
  OfFixedMaxima(Rank& rank, const LocalQueries& queries, const Buffer& norms) : ByRescaling(rank, queries) {
    const MaximaByNorms fixed(rank, queries, norms);
    for (index head = 0; head < heads_.count(); ++head)
      for (index row = 0; row < rows_; ++row) *m_(head, row) = fixed(head, row);
  }

  Buffers part(std::span<const SequenceBlock> blocks, const LocalQueries& queries,
               const LocalKeys& keys) const override {
    Buffers part = room(query_rows(blocks));
    for_each_row(blocks, queries,
                 [&](index head, index row, index from) { *row_of(part[1], head, from) = *m_(head, row); });
    rank_.attention.forward_partials(blocks, queries, keys, {part[0], part[1], part[2], true});
    return part;
  }
};

}  // namespace

std::unique_ptr<RunningAnswer> running_answer(MergeForm form, Rank& rank, const LocalQueries& queries,
                                              const DType& part) {
  if (form == MergeForm::sigmoid) return std::make_unique<BySigmoid>(rank, queries, part);
  return std::make_unique<ByRescaling>(rank, queries);
}

std::unique_ptr<RunningAnswer> running_answer(Rank& rank, const LocalQueries& queries, const Buffer& norms) {
  return std::make_unique<OfFixedMaxima>(rank, queries, norms);
}

}  // namespace attestone::inline backends
