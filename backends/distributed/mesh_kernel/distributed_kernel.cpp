// SPDX-License-Identifier: Apache-2.0
// The refusals, declarations and costs of a method on a mesh.
#include "backends/distributed/mesh_kernel/distributed_kernel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/cpu/parts/visible_tiles.hpp"
#include "backends/distributed/rank/local_call.hpp"
#include "backends/kernel_fault.hpp"
#include "reference/quantization/coded_problem.hpp"
#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

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
  if (differs(held.bytes, documented.bytes)) {
    text = fmt::format("{} bytes at once, where it is {}", held.bytes, documented.bytes);
    const auto is_as_documented = [&](const std::string& name) { return of(held, name) == of(documented, name); };
    if (std::ranges::all_of(names, is_as_documented))
      text += "; each buffer is as documented, but more of them together";
  }
  for (const std::string& name : names)
    if (differs(of(held, name), of(documented, name)))
      text += fmt::format("{}{} of {}, where it is {}", text.empty() ? "" : "; ", of(held, name), name,
                          of(documented, name));
  return text;
}

/// A method that is asked what it takes, and never runs.
class Asked final : public DistributedKernel {
 public:
  using DistributedKernel::DistributedKernel;
  void forward(const Problem&, const Arguments&, Device&) const override { require(false, "it is asked only"); }
};

/// The size of a part of so many rows; parts differ by one at most, and the first ones are larger.
index size_of_part(index rows, index parts, index part) { return rows / parts + (part < rows % parts ? 1 : 0); }

}  // namespace

Problem DistributedKernel::largest_local(const Problem& problem) const {
  return largest_local(problem, program_->most_seen(problem, mesh_));
}

Problem DistributedKernel::largest_local(const Problem& problem, Seen seen) const {
  const index places = mesh_.places(), parts = program_->key_parts(mesh_);
  SequenceBlock block;
  block.seen = seen;
  block.queries = {0, tiles_of(problem.shape.queries, places) - 1};
  block.keys = {0, tiles_of(problem.shape.keys, parts) - 1};
  block.all_keys = parts == 1;
  const HeldHeads heads = MeshShards(problem, mesh_, *program_).heads().of(0);
  return local_problem(problem, {&block, 1}, heads, program_->part_format(problem, mesh_));
}

Support DistributedKernel::supports(const Problem& problem) const {
  Support support = takes_itself(problem);
  if (support) return support;
  std::vector<std::string> others;
  for (const OtherMethod& other : program_->instead(problem, mesh_))
    if (const Asked asked(make_rank_program(other.method), local_, other.mesh); asked.takes_itself(problem))
      others.push_back(asked.name());
  if (!others.empty()) support.why += fmt::format("; {} can", fmt::join(others, " or "));
  return support;
}

Support DistributedKernel::takes_itself(const Problem& problem) const {
  if (local_->conventions() != conventions())
    return Support::refused("merges what devices answer by the rules, and its local kernel has conventions of its own");
  if (!problem.wants_all()) return Support::refused("its devices compute every answer, whatever is asked for");
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
  const Seen most = program_->most_seen(problem, mesh_);
  for (const Seen seen : {Seen::whole, Seen::all, Seen::causal, Seen::some})
    if (seen <= most && (seen == Seen::whole) == (most == Seen::whole))
      if (const Support support = local_->takes(largest_local(problem, seen)); !support) return support;
  const Problem largest = largest_local(problem);
  if (const Numerics local = local_->numerics(largest); !deals_heads_alone() && computes_with_codes(local))
    if (const Support support = supports_codes(problem, local); !support) return support;
  if (program_->key_parts(mesh_) > 1 && local_->numerics(largest).merge.merges())
    return Support::refused(
        fmt::format("{} merges parts of its own, and no bound is known of merges within merges", local_->name()));
  return {};
}

Support DistributedKernel::supports_codes(const Problem& problem, const Numerics& local) const {
  if (!program_->calls_whole_parts(problem))
    return Support::refused("makes codes of what a device holds, which are no neighbouring rows whose parts are known");
  if (local.value.codes.centring != Centring::none)
    return Support::refused("subtracts the mean of what each device holds from V");
  if (local.score.key_codes.mean_of_batch) return Support::refused("subtracts a mean of other sequences, too");
  if (mesh_.devices("batch") > 1) return Support::refused("makes codes of what a device holds of some sequences alone");
  const MeshShards shards(problem, mesh_, *program_);
  for (index rank = 0; rank < shards.ranks(); ++rank)
    for (index b = 0; b < problem.shape.batch; ++b) {
      const Sequence own = problem.sequence(b);
      const index place = mesh_.place_of(rank);
      if (shards.attended_queries(rank).rows.count(b) != size_of_part(own.queries, mesh_.places(), place) ||
          shards.attended_keys(rank).rows.count(b) != size_of_part(own.keys, program_->key_parts(mesh_), place))
        return Support::refused("makes codes of shards whose sizes differ by more than a row");
    }
  return {};
}

/// Sets the numbers of parts; scores also lose what a part's product with the mean of K loses by underflow.
Numerics DistributedKernel::codes_of_parts(const Problem& problem, Numerics numerics) const {
  ScoreStage& score = numerics.score;
  score.query_codes.parts = mesh_.places();
  score.key_codes.parts = numerics.value.codes.parts = program_->key_parts(mesh_);
  if (score.key_codes.centring != Centring::none)
    score.stored.underflow += std::abs(problem.scale()) * score.mean_product.underflow;
  return numerics;
}

Numerics DistributedKernel::numerics(const Problem& problem) const {
  Numerics numerics = program_->numerics(problem, mesh_, local_->numerics(largest_local(problem)));
  if (computes_with_codes(numerics) && !deals_heads_alone()) numerics = codes_of_parts(problem, numerics);
  numerics.invariant = Invariance::none;  // which rows and keys meet on a device follows from all of them
  return numerics;
}

bool DistributedKernel::wants_mask_bytes(const Problem& problem) const {
  return VisibleTiles::need_bytes(problem) || local_->wants_mask_bytes(problem);
}

std::vector<Adjustment> DistributedKernel::adjustments(const Problem& problem) const {
  return local_->adjustments(largest_local(problem));
}

index DistributedKernel::most_bytes(const Problem& problem, Costs costs) const {
  const MeshShards shards(problem, mesh_, *program_);
  index peak = 0;
  for (index rank = 0; rank < shards.ranks(); ++rank)
    peak = std::max(peak, (program_.get()->*costs)(shards.costed(problem, rank, *local_)).peak.bytes);
  return peak;
}

index DistributedKernel::forward_bytes(const Problem& problem) const {
  return most_bytes(problem, &RankProgram::forward_costs);
}

index DistributedKernel::backward_bytes(const Problem& problem) const {
  return most_bytes(problem, &RankProgram::backward_costs);
}

void DistributedKernel::hold_to(Costs costs, const Problem& problem, const MeshShards& shards,
                                const std::vector<DeviceUse>& of_ranks, Device& device) const {
  std::vector<MeasuredDevice> devices;
  index most = 0;
  for (const DeviceUse& measured : of_ranks) {
    const index rank = std::ssize(devices);
    if (!program_->knows_costs()) {
      devices.push_back({measured, measured});
      continue;
    }
    const RankCosts documented = (program_.get()->*costs)(shards.costed(problem, rank, *local_));
    devices.push_back({measured, documented});
    if (measured.messages != documented.messages || measured.bytes != documented.bytes)
      throw KernelFault("mesh-traffic", fmt::format("rank {} sent {} messages of {} bytes, where {} takes {} of {}",
                                                    rank, measured.messages, measured.bytes, program_->name(),
                                                    documented.messages, documented.bytes));
    if (const std::string wrong = difference(measured.peak, documented.peak, problem.mask.is_full()); !wrong.empty())
      throw KernelFault("mesh-memory", fmt::format("rank {} of {} held {}", rank, program_->name(), wrong));
    most = std::max(most, measured.peak.bytes);
  }
  const CountedBytes counted(device, most, "buffers of the fullest rank");
  device.note(devices);
}

}  // namespace attestone::inline backends
