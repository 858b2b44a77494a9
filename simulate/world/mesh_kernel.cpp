// SPDX-License-Identifier: Apache-2.0
// Scatter, run, gather.
#include "simulate/world/mesh_kernel.hpp"

#include "reference/user_error.hpp"
#include "simulate/world/mesh_call.hpp"

namespace attestone::inline simulate {

MeshKernel::MeshKernel(std::shared_ptr<const RankProgram> program, SharedKernel local, Mesh mesh, MeshEvents events)
    : DistributedKernel(std::move(program), std::move(local), std::move(mesh)), events_(std::move(events)) {}

std::vector<SharedKernel> MeshKernel::on_fewer_devices() const {
  std::vector<SharedKernel> all;
  for (Mesh& fewer : smaller(mesh())) try {
      make_faults(events_.faults, fewer.devices(), events_.seed);
      all.push_back(std::make_shared<MeshKernel>(shared_program(), local(), std::move(fewer), events_));
    } catch (const UserError&) {  // a fault is of a device that is not there any more
    }
  return all;
}

WorldSettings MeshKernel::world(const Device& device) const {
  return {.ranks = mesh().devices(), .seed = events_.seed, .faults = events_.faults, .fresh = device.fresh_memory()};
}

void MeshKernel::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const MeshShards shards(problem, mesh(), program());
  MeshCall call(shards, *local(), problem, arguments, world(device));
  const auto answers = call.run<RankAnswer>(
      [&](index number, Rank& rank) { return program().forward(rank, dealt(shards, number, arguments, rank.device)); });
  hold_to(&RankProgram::forward_costs, problem, shards, call.used(), device);
  for (index rank = 0; rank < call.ranks(); ++rank)
    put_together(shards, rank, answers[static_cast<std::size_t>(rank)], arguments);
  answer_padding(problem, arguments);
}

void MeshKernel::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  const MeshShards shards(problem, mesh(), program());
  MeshCall call(shards, *local(), problem, arguments, world(device));
  call.start_shared(arguments);
  const auto gradients = call.run<RankGradients>([&](index number, Rank& rank) {
    return program().backward(rank, dealt(shards, number, arguments, rank.device));
  });
  hold_to(&RankProgram::backward_costs, problem, shards, call.used(), device);
  for (index rank = 0; rank < call.ranks(); ++rank)
    put_together(shards, rank, gradients[static_cast<std::size_t>(rank)], arguments);
  put_together(call.shared(), arguments);
  answer_padding(problem, arguments);
}

}  // namespace attestone::inline simulate
