// SPDX-License-Identifier: Apache-2.0
// Copying parts out of a call, and adding them up again.
#include "tests/backends/part_of_call.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attestone {
namespace {

constexpr std::uint64_t nan_code = ~std::uint64_t{0};

void copy(const Tensor& whole, const AxisNumbers& axes, Tensor& part) {
  for_each_element(part.view(), [&](index b, index h, index r, index c) {
    const Extents at = in_whole(whole.view().extents(), axes, {b, h, r, c});
    part.view().set(b, h, r, c, whole.view().value(at[0], at[1], at[2], at[3]));
  });
}

Numbers kv_heads_of(const Shape& shape, const Numbers& heads) {
  Numbers all;
  for (const index head : heads)
    if (all.empty() || all.back() != shape.kv_head(head)) all.push_back(shape.kv_head(head));
  return all;
}

Numbers real(const Numbers& rows, index length) {
  Numbers some = rows;
  std::erase_if(some, [&](index row) { return row >= length; });
  return some;
}

Problem part_problem(const Problem& whole, const Cut& cut, index kv_heads) {
  Problem part = whole;
  part.shape.batch = std::ssize(cut.batches);
  part.shape.heads = std::ssize(cut.heads);
  part.shape.kv_heads = kv_heads;
  part.shape.queries = std::ssize(cut.queries);
  part.shape.keys = std::ssize(cut.keys);
  part.given_scale = whole.scale();
  part.mask = parse_problem("shape=1x1x1x1x1 mask=dense:50").mask;
  if (!cut.has_sink) part.score = whole.score.without("sink");
  part.lengths.clear(), part.query_lengths.clear();
  for (const index batch : cut.batches) {
    part.lengths.push_back(std::ssize(real(cut.keys, whole.sequence(batch).keys)));
    part.query_lengths.push_back(std::ssize(real(cut.queries, whole.sequence(batch).queries)));
  }
  return part;
}

VisiblePairs mask_bytes(const Problem& whole, const Cut& cut) {
  const VisiblePairs all(whole);
  std::vector<std::uint8_t> bytes;
  const Numbers heads = whole.mask.differs_by_head() ? cut.heads : Numbers{cut.heads.front()};
  for (const index batch : cut.batches)
    for (const index head : heads)
      for (const index query : cut.queries)
        for (const index key : cut.keys) bytes.push_back(all({batch, head, query, key}));
  return {{std::ssize(cut.batches), std::ssize(heads), std::ssize(cut.queries), std::ssize(cut.keys)}, bytes};
}

Placement placement_of(const Problem& whole, const Cut& cut) {
  Placement placement{cut.heads.front(), whole.shape.heads, {}};
  for (const index batch : cut.batches) {
    const Sequence own = whole.sequence(batch);
    placement.sequences.push_back({batch, own, real(cut.queries, own.queries), real(cut.keys, own.keys)});
  }
  return placement;
}

}  // namespace

Extents in_whole(const Extents& whole, const AxisNumbers& axes, const Extents& place) {
  Extents at = place;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    if (whole[axis] == 1)
      at[axis] = 0;
    else if (!axes[axis].empty())
      at[axis] = axes[axis][static_cast<std::size_t>(place[axis])];
  return at;
}

PartOfCall::PartOfCall(const RandomCall& whole, const Cut& cut, const DType& stored)
    : of_query{cut.batches, cut.heads, cut.queries, {}},
      of_key{cut.batches, kv_heads_of(whole.problem.shape, cut.heads), cut.keys, {}},
      of_bias{cut.batches, cut.heads, cut.queries, cut.keys},
      of_sink{Numbers{}, cut.heads, {}, {}},
      problem_(part_problem(whole.problem, cut, std::ssize(of_key[1]))),
      inputs_(problem_),
      outputs_(problem_),
      out_(stored, outputs_.out.view().extents()),
      log_sum_exp_(dtype("f32"), outputs_.log_sum_exp.view().extents()),
      mask_(mask_bytes(whole.problem, cut)),
      placement_(placement_of(whole.problem, cut)) {
  copy(whole.inputs.query, of_query, inputs_.query);
  copy(whole.inputs.key, of_key, inputs_.key);
  copy(whole.inputs.value, of_key, inputs_.value);
  if (inputs_.bias) copy(*whole.inputs.bias, of_bias, *inputs_.bias);
  if (inputs_.sink) copy(*whole.inputs.sink, of_sink, *inputs_.sink);
  if (inputs_.dout) copy(*whole.inputs.dout, of_query, *inputs_.dout);
}

void PartOfCall::run(const Kernel& kernel) {
  for (Tensor* tensor : {&out_, &log_sum_exp_}) tensor->fill_code(nan_code);
  Arguments arguments = arguments_of(problem_, inputs_, outputs_, &mask_);
  arguments.placement = &placement_;
  arguments.out = out_.view(), arguments.log_sum_exp = log_sum_exp_.view();
  Device device;
  kernel.forward(problem_, arguments, device);
}

void PartOfCall::run_partial(const Kernel& kernel) {
  const DType &f32 = dtype("f32"), &f64 = dtype("f64");
  const Extents extents = out_.view().extents(), numbers = log_sum_exp_.view().extents();
  Tensor o(f32, extents), m(f32, numbers), l(f32, numbers);
  for (Tensor* tensor : {&o, &m, &l}) tensor->fill_code(nan_code);
  const Arguments arguments = arguments_of(problem_, inputs_, outputs_, &mask_);
  PartialArguments partial{arguments, o.view(), m.view(), l.view()};
  partial.placement = &placement_;
  Device device;
  kernel.forward_partials(problem_, partial, device);
  out_ = Tensor(f64, extents), log_sum_exp_ = Tensor(f64, numbers);
  for_each_element(out_.view(), [&](index b, index h, index r, index c) {
    const double sum = l.view().value(b, h, r, 0), weighted = o.view().value(b, h, r, c);
    out_.view().set(b, h, r, c, sum == 0 ? weighted : weighted / sum);
    log_sum_exp_.view().set(b, h, r, 0, m.view().value(b, h, r, 0) * std::numbers::ln2 + std::log(sum));
  });
}

void PartOfCall::run_backward(const Kernel& kernel, const Tensor& log_sum_exp, const Tensor& delta) {
  const Extents numbers = log_sum_exp_.view().extents();
  Tensor own_log_sum_exp(dtype("f32"), numbers), own_delta(dtype("f32"), numbers);
  copy(log_sum_exp, of_query, own_log_sum_exp);
  copy(delta, of_query, own_delta);
  Tensor dout(problem_.input, out_.view().extents());
  copy(*inputs_.dout, {}, dout);
  outputs_.out.fill_code(nan_code);
  gradients_.emplace(problem_);
  for (Tensor* tensor : {&gradients_->query, &gradients_->key, &gradients_->value}) tensor->fill_code(nan_code);
  for (std::optional<Tensor>* tensor : {&gradients_->bias, &gradients_->sink})
    if (*tensor) (*tensor)->fill_code(nan_code);
  BackwardArguments arguments = arguments_of(problem_, inputs_, outputs_, *gradients_, &mask_);
  arguments.placement = &placement_;
  arguments.dout = dout.view(), arguments.log_sum_exp = own_log_sum_exp.view(), arguments.delta = own_delta.view();
  Device device;
  kernel.backward(problem_, arguments, device);
}

void SumOfParts::add(const Tensor& part, const AxisNumbers& axes) {
  for_each_element(part.view(), [&](index b, index h, index r, index c) {
    sums_[number(in_whole(extents_, axes, {b, h, r, c}))] += part.view().value(b, h, r, c);
  });
}

std::size_t SumOfParts::number(const Extents& place) const {
  const auto& [b, h, r, c] = place;
  return static_cast<std::size_t>(((b * extents_[1] + h) * extents_[2] + r) * extents_[3] + c);
}

}  // namespace attestone
