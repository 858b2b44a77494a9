// SPDX-License-Identifier: Apache-2.0
// Scattering and gathering, tensor by tensor.
#include "backends/distributed/mesh_kernel/dealt_call.hpp"

#include "backends/cpu/parts/head_sink.hpp"

namespace attestone::inline backends {
namespace {

/// Elements of rows behind the end of their sequence become this.
template <class Value>
void fill_padding(const View& view, const Problem& problem, index Sequence::*length, Value value) {
  for_each_element(view, [&](index batch, index head, index row, index channel) {
    if (row >= problem.sequence(batch).*length) view.set(batch, head, row, channel, value(head));
  });
}

/// into = the sum of one tensor of all ranks.
void store_sum(const std::vector<SharedGradients>& of_ranks, std::optional<View> SharedGradients::*one,
               const View& into) {
  for_each_element(into, [&](index batch, index head, index row, index channel) {
    double sum = 0;
    for (const SharedGradients& own : of_ranks) sum += (own.*one)->value(batch, head, row, channel);
    into.set(batch, head, row, channel, sum);
  });
}

}  // namespace

KernelInputs of_all_ranks(KernelInputs inputs) {
  for (ConstView* dealt : {&inputs.query, &inputs.key, &inputs.value})
    *dealt = ConstView(nullptr, dealt->dtype(), Extents{}, Strides{});
  return inputs;
}

RankInputs dealt(const MeshShards& shards, index rank, const KernelInputs& inputs, Device& device) {
  const HeldPart queries = shards.own_queries(rank), keys = shards.own_keys(rank);
  return {scattered(device, "query", inputs.query, queries.rows, queries.heads),
          scattered(device, "key", inputs.key, keys.rows, keys.heads),
          scattered(device, "value", inputs.value, keys.rows, keys.heads)};
}

RankSaved dealt(const MeshShards& shards, index rank, const BackwardArguments& arguments, Device& device) {
  const HeldPart own = shards.own_queries(rank), queries = shards.attended_queries(rank);
  const HeldPart keys = shards.attended_keys(rank);
  const auto copy = [&](const char* name, const ConstView& whole, const HeldPart& part, index copies = 1) {
    return scattered(device, name, whole, part.rows, part.heads, copies);
  };
  const index copies = shards.heads().copies();
  return {copy("query", arguments.query, queries),
          copy("key", arguments.key, keys, copies),
          copy("value", arguments.value, keys, copies),
          copy("out", arguments.out, queries),
          copy("log_sum_exp", arguments.log_sum_exp, queries),
          copy("dout", arguments.dout, own)};
}

SharedSum::SharedSum(Device& device, const char* name, const Extents& extents)
    : extents_(extents), buffer_(device, name, dtype("f64"), extents[0] * extents[2], extents[1], extents[3]) {
  buffer_.clear();
}

void put_together(const MeshShards& shards, index rank, const RankAnswer& answer, const Arguments& arguments) {
  const HeldPart own = shards.own_queries(rank), attended = shards.attended_queries(rank);
  gather(answer.out, own.rows, own.heads, arguments.out);
  gather(answer.log_sum_exp, attended.rows, attended.heads, arguments.log_sum_exp);
}

void put_together(const MeshShards& shards, index rank, const RankGradients& own, const BackwardArguments& arguments) {
  const HeldPart queries = shards.own_queries(rank), keys = shards.own_keys(rank);
  gather(own.dquery, queries.rows, queries.heads, arguments.dquery);
  gather(own.dkey, keys.rows, keys.heads, arguments.dkey);
  gather(own.dvalue, keys.rows, keys.heads, arguments.dvalue);
}

void put_together(const std::vector<SharedGradients>& of_ranks, const BackwardArguments& arguments) {
  if (arguments.dsink) store_sum(of_ranks, &SharedGradients::dsink, *arguments.dsink);
  if (arguments.dbias) store_sum(of_ranks, &SharedGradients::dbias, *arguments.dbias);
}

void answer_padding(const Problem& problem, const Arguments& arguments) {
  fill_padding(arguments.out, problem, &Sequence::queries, [](index) { return 0.0; });
  fill_padding(arguments.log_sum_exp, problem, &Sequence::queries,
               [&](index head) { return double{HeadSink(arguments, head).logit()}; });
}

void answer_padding(const Problem& problem, const BackwardArguments& arguments) {
  const auto nothing = [](index) { return 0.0; };
  fill_padding(arguments.dquery, problem, &Sequence::queries, nothing);
  fill_padding(arguments.dkey, problem, &Sequence::keys, nothing);
  fill_padding(arguments.dvalue, problem, &Sequence::keys, nothing);
}

}  // namespace attestone::inline backends
