// SPDX-License-Identifier: Apache-2.0
// Scatter, run, gather.
#include "simulate/mesh_kernel.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"
#include "backends/distributed/local_call.hpp"
#include "reference/user_error.hpp"
#include "simulate/mesh_call.hpp"

namespace attestone {
namespace {

/// Elements of rows behind the end of their sequence become this; padding is nobody's.
template <class Value>
void fill_padding(const View& view, const Problem& problem, index Sequence::*length, Value value) {
  for_each_element(view, [&](index batch, index head, index row, index channel) {
    if (row >= problem.sequence(batch).*length) view.set(batch, head, row, channel, value(head));
  });
}

}  // namespace

MeshKernel::MeshKernel(std::shared_ptr<const RankProgram> program, SharedKernel local, Mesh mesh, MeshEvents events)
    : program_(std::move(program)), local_(std::move(local)), mesh_(std::move(mesh)), events_(std::move(events)) {}

std::vector<SharedKernel> MeshKernel::on_fewer_devices() const {
  std::vector<SharedKernel> all;
  for (Mesh& mesh : smaller(mesh_)) try {
      make_faults(events_.faults, mesh.devices(), events_.seed);
      all.push_back(std::make_shared<MeshKernel>(program_, local_, std::move(mesh), events_));
    } catch (const UserError&) {  // a fault is of a device that is not there any more
    }
  return all;
}

Problem MeshKernel::largest_local(const Problem& problem) const {
  const index places = mesh_.places(), parts = program_->key_parts(mesh_);
  SequenceBlock block;
  block.seen = places == 1 ? Seen::whole : problem.mask.is_full() ? Seen::all : Seen::some;
  block.queries = {0, tiles_of(problem.shape.queries, places) - 1};
  block.keys = {0, tiles_of(problem.shape.keys, parts) - 1};
  block.all_keys = parts == 1;
  const HeldHeads heads = MeshShards(problem, mesh_, *program_).heads().of(0);
  return local_problem(problem, {&block, 1}, heads, program_->part_format(problem, mesh_));
}

Support MeshKernel::supports(const Problem& problem) const {
  const auto axes = program_->axes();
  for (const MeshAxis& axis : mesh_.axes())
    if (axis.devices > 1 && std::ranges::find(axes, axis.name) == axes.end())
      return Support::refused(fmt::format("does not run along the axis {}", axis.name));
  if (const Support support = program_->supports(problem, mesh_); !support) return support;
  if (program_->merges_partials(mesh_) && !local_->computes_partials())
    return Support::refused(
        fmt::format("{} answers nothing but finished rows, which merge=sigmoid can merge", local_->name()));
  if ((problem.dropout > 0 || problem.score.bias_formula()) && !local_->takes_parts())
    return Support::refused(
        fmt::format("{} numbers queries and keys from 0, whatever rank it runs on", local_->name()));
  const bool sums = mesh_.places() > 1 || program_->copies(problem.shape, mesh_.devices("ulysses")) > 1;
  if (problem.backward && sums && !local_->takes_parts() && problem.output != dtype("f32"))
    return Support::refused(fmt::format("{} answers gradients in {}, and their shares are added up in f32",
                                        local_->name(), problem.output.name));
  const Problem largest = largest_local(problem);
  if (const Support support = local_->takes(largest); !support) return support;
  if (program_->key_parts(mesh_) > 1 && local_->numerics(largest).merge.merges())
    return Support::refused(
        fmt::format("{} merges parts of its own, and no bound is known of merges within merges", local_->name()));
  return {};
}

Numerics MeshKernel::numerics(const Problem& problem) const {
  return program_->numerics(problem, mesh_, local_->numerics(largest_local(problem)));
}

bool MeshKernel::wants_mask_bytes(const Problem& problem) const {
  return VisibleTiles::need_bytes(problem) || local_->wants_mask_bytes(problem);
}

std::vector<Adjustment> MeshKernel::adjustments(const Problem& problem) const {
  return local_->adjustments(largest_local(problem));
}

index MeshKernel::most_bytes(const Problem& problem, Costs costs) const {
  const MeshShards shards(problem, mesh_, *program_);
  index peak = 0;
  for (index rank = 0; rank < shards.ranks(); ++rank)
    peak = std::max(peak, (program_.get()->*costs)(shards.costed(problem, rank, *local_)).peak.bytes);
  return peak;
}

index MeshKernel::forward_bytes(const Problem& problem) const {
  return most_bytes(problem, &RankProgram::forward_costs);
}

index MeshKernel::backward_bytes(const Problem& problem) const {
  return most_bytes(problem, &RankProgram::backward_costs);
}

void MeshKernel::hold_to(Costs costs, const MeshCall& call, Device& device) const {
  const auto devices = call.devices([&](const CostedRank& rank) { return (program_.get()->*costs)(rank); });
  call.hold_to(devices, program_->name());
  index most = 0;
  for (const MeasuredDevice& each : devices) most = std::max(most, each.measured.peak.bytes);
  const CountedBytes counted(device, most, "buffers of the fullest rank");
  device.note(devices);
}

WorldSettings MeshKernel::world(const Device& device) const {
  return {.ranks = mesh_.devices(), .seed = events_.seed, .faults = events_.faults, .fresh = device.fresh_memory()};
}

void MeshKernel::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const MeshShards shards(problem, mesh_, *program_);
  MeshCall call(shards, *local_, problem, arguments, world(device));
  const auto answers = call.run<RankAnswer>([&](index number, Rank& rank) {
    const HeldPart queries = call.own_queries(number), keys = call.own_keys(number);
    RankInputs inputs{scattered(rank.device, "query", arguments.query, queries.rows, queries.heads),
                      scattered(rank.device, "key", arguments.key, keys.rows, keys.heads),
                      scattered(rank.device, "value", arguments.value, keys.rows, keys.heads)};
    return program_->forward(rank, std::move(inputs));
  });
  hold_to(&RankProgram::forward_costs, call, device);
  for (index number = 0; number < call.ranks(); ++number) {
    const HeldPart own = call.own_queries(number), attended = call.attended_queries(number);
    const RankAnswer& answer = answers[static_cast<std::size_t>(number)];
    gather(answer.out, own.rows, own.heads, arguments.out);
    gather(answer.log_sum_exp, attended.rows, attended.heads, arguments.log_sum_exp);
  }
  fill_padding(arguments.out, problem, &Sequence::queries, [](index) { return 0.0; });
  fill_padding(arguments.log_sum_exp, problem, &Sequence::queries,
               [&](index head) { return double{HeadSink(arguments, head).logit()}; });
}

void MeshKernel::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  const MeshShards shards(problem, mesh_, *program_);
  MeshCall call(shards, *local_, problem, arguments, world(device));
  call.start_shared(arguments);
  const auto gradients = call.run<RankGradients>([&](index number, Rank& rank) {
    const HeldPart own = call.own_queries(number), queries = call.attended_queries(number);
    const HeldPart keys = call.attended_keys(number);
    const auto copy = [&](const char* name, const ConstView& whole, const HeldPart& part) {
      return scattered(rank.device, name, whole, part.rows, part.heads);
    };
    const auto copies = [&](const char* name, const ConstView& whole) {
      return scattered(rank.device, name, whole, keys.rows, keys.heads, rank.heads.copies());
    };
    RankSaved saved{copy("query", arguments.query, queries),
                    copies("key", arguments.key),
                    copies("value", arguments.value),
                    copy("out", arguments.out, queries),
                    copy("log_sum_exp", arguments.log_sum_exp, queries),
                    copy("dout", arguments.dout, own)};
    return program_->backward(rank, std::move(saved));
  });
  hold_to(&RankProgram::backward_costs, call, device);
  for (index number = 0; number < call.ranks(); ++number) {
    const HeldPart queries = call.own_queries(number), keys = call.own_keys(number);
    const RankGradients& own = gradients[static_cast<std::size_t>(number)];
    gather(own.dquery, queries.rows, queries.heads, arguments.dquery);
    gather(own.dkey, keys.rows, keys.heads, arguments.dkey);
    gather(own.dvalue, keys.rows, keys.heads, arguments.dvalue);
  }
  call.store_shared(arguments);
  const auto nothing = [](index) { return 0.0; };
  fill_padding(arguments.dquery, problem, &Sequence::queries, nothing);
  fill_padding(arguments.dkey, problem, &Sequence::keys, nothing);
  fill_padding(arguments.dvalue, problem, &Sequence::keys, nothing);
}

}  // namespace attestone
