// SPDX-License-Identifier: Apache-2.0
// Setting up the ranks.
#include "simulate/mesh_call.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace attestone {
namespace {

Interval all(index heads) { return {0, heads - 1}; }

/// What every rank may look at: no rows of any tensor that is dealt.
KernelInputs of_all_ranks(KernelInputs inputs) {
  for (ConstView* dealt : {&inputs.query, &inputs.key, &inputs.value})
    *dealt = ConstView(nullptr, dealt->dtype(), Extents{}, Strides{});
  return inputs;
}

/// Where a rank held something else than is documented, or more; empty if nowhere.
std::string difference(const MemoryUse& held, const MemoryUse& documented, bool exactly) {
  const auto differs = [&](index one, index other) { return exactly ? one != other : one > other; };
  std::vector<std::string> names;
  for (const auto& all : {held.by_name, documented.by_name})
    for (const auto& [name, bytes] : all) names.push_back(name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto of = [](const MemoryUse& use, const std::string& name) {
    const auto found = use.by_name.find(name);
    return found == use.by_name.end() ? 0 : found->second;
  };
  std::string text;
  if (differs(held.bytes, documented.bytes))
    text = fmt::format("{} bytes at once, where it is {}", held.bytes, documented.bytes);
  for (const std::string& name : names)
    if (differs(of(held, name), of(documented, name)))
      text += fmt::format("{}{} of {}, where it is {}", text.empty() ? "" : "; ", of(held, name), name,
                          of(documented, name));
  return text;
}

/// into = the sum of one tensor of all ranks.
void store_sum(const std::deque<Rank>& ranks, std::optional<View> SharedGradients::*one, const View& into) {
  for_each_element(into, [&](index batch, index head, index row, index channel) {
    double sum = 0;
    for (const Rank& rank : ranks) sum += (rank.shared.*one)->value(batch, head, row, channel);
    into.set(batch, head, row, channel, sum);
  });
}

}  // namespace

MeshCall::MeshCall(const MeshShards& shards, const Kernel& local, const Problem& problem, const KernelInputs& inputs,
                   const WorldSettings& settings)
    : shards_(shards), local_(local), problem_(problem), world_(settings) {
  for (index number = 0; number < world_.size(); ++number) {
    Device& workspace = workspaces_.emplace_back(settings.fresh);
    const Mesh& mesh = shards.mesh();
    ranks_.push_back({world_.communicator(number), world_.device(number),
                      LocalAttention(local, problem, of_all_ranks(inputs), workspace), shards.queries(number),
                      shards.keys(number), mesh.ring(number), mesh.group(number, "ulysses"),
                      mesh.group(number, "inner"), mesh.group(number, "outer"), shards.heads()});
  }
}

std::vector<MeasuredDevice> MeshCall::devices(const std::function<RankCosts(const CostedRank&)>& documented) const {
  std::vector<MeasuredDevice> all;
  for (index number = 0; number < ranks(); ++number) {
    const Traffic sent = world_.sent(number);
    all.push_back({{sent.messages, sent.bytes, ranks_[static_cast<std::size_t>(number)].device.peak()},
                   documented(shards_.costed(problem_, number, local_))});
  }
  return all;
}

void MeshCall::hold_to(const std::vector<MeasuredDevice>& devices, const std::string& method) const {
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    const auto& [measured, documented] = devices[rank];
    if (measured.messages != documented.messages || measured.bytes != documented.bytes)
      throw KernelFault("mesh-traffic",
                        fmt::format("rank {} sent {} messages of {} bytes, where {} takes {} of {}", rank,
                                    measured.messages, measured.bytes, method, documented.messages, documented.bytes));
    if (const std::string wrong = difference(measured.peak, documented.peak, problem_.mask.is_full()); !wrong.empty())
      throw KernelFault("mesh-memory", fmt::format("rank {} of {} held {}", rank, method, wrong));
  }
}

HeldPart MeshCall::own_queries(index number) const {
  const Rank& rank = ranks_[static_cast<std::size_t>(number)];
  return {rank.queries.of(rank.ring.place, rank.ulysses.place), all(problem_.shape.heads)};
}

HeldPart MeshCall::own_keys(index number) const {
  const Rank& rank = ranks_[static_cast<std::size_t>(number)];
  return {rank.keys.of(rank.ring.place, rank.ulysses.place), all(problem_.shape.kv_heads)};
}

HeldPart MeshCall::attended_queries(index number) const {
  const Rank& rank = ranks_[static_cast<std::size_t>(number)];
  return {rank.queries.of_ring(rank.ring.place), rank.held_heads().query};
}

HeldPart MeshCall::attended_keys(index number) const {
  const Rank& rank = ranks_[static_cast<std::size_t>(number)];
  return {rank.keys.of_ring(rank.ring.place), rank.held_heads().kv};
}

void MeshCall::start_shared(const BackwardArguments& arguments) {
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const auto zeros = [&](const char* name, const std::optional<View>& like) -> std::optional<View> {
      if (!like) return std::nullopt;
      const auto& [batches, heads, rows, channels] = like->extents();
      Buffer& sums = shared_.emplace_back(workspaces_[number], name, dtype("f64"), batches * rows, heads, channels);
      sums.clear();
      return sums.sequences(batches, rows, 0, rows);
    };
    ranks_[number].shared = {zeros("sum of dsink", arguments.dsink), zeros("sum of dbias", arguments.dbias)};
  }
}

void MeshCall::store_shared(const BackwardArguments& arguments) const {
  if (arguments.dsink) store_sum(ranks_, &SharedGradients::dsink, *arguments.dsink);
  if (arguments.dbias) store_sum(ranks_, &SharedGradients::dbias, *arguments.dbias);
}

}  // namespace attestone
