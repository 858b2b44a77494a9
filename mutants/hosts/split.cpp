// SPDX-License-Identifier: Apache-2.0
// The split kernel: all parts of a sequence, then one merge for each row.
#include "mutants/hosts/split.hpp"

#include <algorithm>
#include <limits>

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled_row.hpp"

namespace attestone::inline mutants {
namespace {

/// The parts of every row of one sequence. Rows of O are padded to a multiple of 8 channels, as vectors like them.
struct Partials {
  Partials(Device& device, const Shape& shape, index parts_of_a_row)
      : queries(shape.queries),
        parts(parts_of_a_row),
        stride(stride_of(shape)),
        m(device, shape.heads * queries * parts, "maxima of parts"),
        l(device, shape.heads * queries * parts, "sums of parts"),
        O(device, shape.heads * queries * parts * stride, "outputs of parts") {}

  static index stride_of(const Shape& shape) {
    constexpr index vector = 8;
    return (shape.value_dim + vector - 1) / vector * vector;
  }
  static index bytes(const Shape& shape, index parts_of_a_row) {
    return shape.heads * shape.queries * parts_of_a_row * (2 + stride_of(shape)) * static_cast<index>(sizeof(float));
  }
  index at(index head, index query, index part) const { return (head * queries + query) * parts + part; }

  index queries, parts, stride;
  Allocation<float> m, l, O;  // [heads][queries][parts], O also [stride]
};

class Split final : public Kernel {
 public:
  Split(std::string name, std::shared_ptr<const SplitSteps> steps) : name_(std::move(name)), steps_(std::move(steps)) {}

  std::string name() const override { return name_; }
  Support supports(const Problem& problem) const override { return tiled_limits(problem); }
  Numerics numerics(const Problem&) const override;
  /// The scratch memory of one row, and 4 bytes * heads * queries * parts * (2 + value_dim rounded up to a multiple of
  /// 8).
  index forward_bytes(const Problem& problem) const override {
    return TiledScratch::bytes(problem.shape) + Partials::bytes(problem.shape, steps_->parts(problem.shape.keys));
  }
  void forward(const Problem&, const Arguments&, Device&) const override;
  bool computes_gradients() const override { return true; }
  index backward_bytes(const Problem& problem) const override { return fused_backward_bytes(problem); }
  void backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const override {
    fused_backward(problem, arguments, device, FusedSteps());
  }

 private:
  void attend_to_parts(TiledRow&, Partials&) const;
  void merge_parts(TiledRow&, Partials&) const;

  std::string name_;
  std::shared_ptr<const SplitSteps> steps_;
};

Numerics Split::numerics(const Problem& problem) const {
  Numerics numerics = tiled_numerics(problem);
  numerics.merge.form = MergeForm::rescaled_sums;
  numerics.merge.exp_error = numerics.weight.exp_error;
  numerics.merge.parts = std::max<index>(steps_->parts(problem.shape.keys), 1);
  numerics.merge.depth = 1;
  return numerics;
}

void Split::attend_to_parts(TiledRow& row, Partials& partials) const {
  const index keys = row.query < row.sequence.queries ? row.sequence.keys : 0;
  const index part_keys = steps_->part_keys(row.problem.shape.keys);
  for (index part = 0; part < partials.parts; ++part) {
    const index first = part * part_keys;
    row.attend({first, std::min(first + part_keys, keys) - 1});
    if (!steps_->writes_part(row.l)) continue;
    const index at = partials.at(row.head, row.query, steps_->place(part));
    partials.m[at] = steps_->kept_maximum(row.m, static_cast<float>(row.problem.scale()));
    partials.l[at] = row.l;
    std::ranges::copy(row.scratch.O.span(), partials.O.data() + at * partials.stride);
  }
}

void Split::merge_parts(TiledRow& row, Partials& partials) const {
  const std::span<float> O = row.scratch.O.span();
  const index first = partials.at(row.head, row.query, 0), parts = steps_->parts_merged(partials.parts);
  row.m = steps_->maximum(partials.m.span().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(parts)));
  row.l = 0;
  std::ranges::fill(O, 0.0f);
  for (index part = 0; part < parts; ++part) {
    const index at = first + steps_->place(steps_->part_read(part));
    const float weight = steps_->weight_of_part(partials.m[at], row.m);
    row.l = steps_->merged_sum(row.l, partials.l[at], weight);
    const float* of_part = partials.O.data() + at * steps_->stride_read(partials.stride, row.problem.shape.value_dim);
    for (std::size_t c = 0; c < O.size(); ++c) O[c] += weight * of_part[c];
  }
}

void Split::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const TiledSteps tiled;
  TiledScratch scratch(device, problem.shape);
  Partials partials(device, problem.shape, steps_->parts(problem.shape.keys));
  for (index batch = 0; batch < problem.shape.batch; ++batch) {
    const Sequence sequence = problem.sequence(batch);
    const TileMask mask = tiled.mask(problem.mask, sequence);
    const auto each_row = [&](index heads, auto work) {
      for (index head = 0; head < heads; ++head)
        for (index query = 0; query < arguments.out.rows(batch); ++query) {
          TiledRow row{problem, arguments, tiled, batch, head, query, sequence, mask, scratch};
          work(row);
        }
    };
    each_row(problem.shape.heads, [&](TiledRow& row) { attend_to_parts(row, partials); });
    each_row(steps_->heads_merged(problem.shape), [&](TiledRow& row) {
      merge_parts(row, partials);
      if (arguments.sink) row.take_in_sink(1);
      row.store();
    });
  }
}

}  // namespace

float SplitSteps::maximum(std::span<const float> maxima) const {
  float largest = -std::numeric_limits<float>::infinity();
  for (const float m : maxima) largest = m > largest ? m : largest;
  return largest;
}

float SplitSteps::weight_of_part(float m_of_part, float m) const { return weight(m_of_part, m); }

SharedKernel split_kernel(std::string name, std::shared_ptr<const SplitSteps> steps) {
  return std::make_shared<Split>(std::move(name), std::move(steps));
}

SharedKernel split_twin() { return split_mutant<SplitSteps>("split_by_rows"); }

}  // namespace attestone::inline mutants
