// SPDX-License-Identifier: Apache-2.0
// Setting up the ranks.
#include "simulate/world/mesh_call.hpp"

namespace attestone::inline simulate {

MeshCall::MeshCall(const MeshShards& shards, const Kernel& local, const Problem& problem, const KernelInputs& inputs,
                   const WorldSettings& settings, Faults faults)
    : world_(settings, std::move(faults)) {
  for (index number = 0; number < world_.size(); ++number) {
    Device& workspace = workspaces_.emplace_back(settings.fresh);
    ranks_.push_back(shards.rank(number, world_.communicator(number), world_.device(number),
                                 LocalAttention(local, problem, of_all_ranks(inputs), workspace)));
  }
}

std::vector<DeviceUse> MeshCall::used() const {
  std::vector<DeviceUse> all;
  for (index number = 0; number < ranks(); ++number) {
    const Traffic sent = world_.sent(number);
    all.push_back({sent.messages, sent.bytes, ranks_[static_cast<std::size_t>(number)].device.peak()});
  }
  return all;
}

void MeshCall::start_shared(const BackwardArguments& arguments) {
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const auto zeros = [&](const char* name, const std::optional<View>& like) -> std::optional<View> {
      if (!like) return std::nullopt;
      return sums_.emplace_back(workspaces_[number], name, like->extents()).view();
    };
    ranks_[number].shared = {zeros("sum of dsink", arguments.dsink), zeros("sum of dbias", arguments.dbias)};
  }
}

std::vector<SharedGradients> MeshCall::shared() const {
  std::vector<SharedGradients> all;
  for (const Rank& rank : ranks_) all.push_back(rank.shared);
  return all;
}

}  // namespace attestone::inline simulate
