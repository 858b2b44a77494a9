// SPDX-License-Identifier: Apache-2.0
// Scatter, run, gather.
#include "simulate/world/mesh_kernel.hpp"

#include "reference/user_error.hpp"
#include "simulate/world/census.hpp"
#include "simulate/world/mesh_call.hpp"

namespace attestone::inline simulate {
namespace {

/// Notes at its end how often each fault has happened, also where one of them ends the call.
class NotedFaults {
 public:
  NotedFaults(const std::vector<FaultCall>& faults, const MeshCall& call, Device& device)
      : faults_(faults), call_(call), device_(device) {}
  ~NotedFaults() {
    for (std::size_t at = 0; at < faults_.size(); ++at) device_.note_fault(faults_[at].name, call_.happened(at));
  }
  NotedFaults(const NotedFaults&) = delete;
  NotedFaults& operator=(const NotedFaults&) = delete;

 private:
  const std::vector<FaultCall>& faults_;
  const MeshCall& call_;
  Device& device_;
};

}  // namespace

MeshKernel::MeshKernel(std::shared_ptr<const RankProgram> program, SharedKernel local, Mesh mesh, MeshEvents events)
    : DistributedKernel(std::move(program), std::move(local), std::move(mesh)), events_(std::move(events)) {}

std::vector<SharedKernel> MeshKernel::on_fewer_devices() const {
  std::vector<SharedKernel> all;
  for (Mesh& fewer : smaller(mesh())) try {
      make_faults(events_.faults, Census::of(fewer.devices()), events_.seed);
      all.push_back(std::make_shared<MeshKernel>(shared_program(), local(), std::move(fewer), events_));
    } catch (const UserError&) {  // a fault is of a device that is not there any more
    }
  return all;
}

WorldSettings MeshKernel::world(const Device& device) const {
  return {.ranks = mesh().devices(), .seed = events_.seed, .fresh = device.fresh_memory()};
}

template <class Pass>
Faults MeshKernel::faults(const MeshShards& shards, const Problem& problem, const KernelInputs& inputs,
                          const WorldSettings& settings, Pass pass) const {
  if (events_.faults.empty()) return {};
  auto counting = std::make_unique<Counting>(settings.ranks);
  const Counting& what_happens = *counting;
  Faults none;
  none.push_back(std::move(counting));
  MeshCall rehearsal(shards, *local(), problem, inputs, settings, std::move(none));
  pass(rehearsal);
  return make_faults(events_.faults, what_happens.counted(), events_.seed);
}

void MeshKernel::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const MeshShards shards(problem, mesh(), program());
  const WorldSettings settings = world(device);
  const auto pass = [&](MeshCall& call) {
    return call.run<RankAnswer>([&](index number, Rank& rank) {
      return program().forward(rank, dealt(shards, number, arguments, rank.device));
    });
  };
  MeshCall call(shards, *local(), problem, arguments, settings, faults(shards, problem, arguments, settings, pass));
  const NotedFaults noted(events_.faults, call, device);
  const auto answers = pass(call);
  hold_to(&RankProgram::forward_costs, problem, shards, call.used(), device);
  for (index rank = 0; rank < call.ranks(); ++rank)
    put_together(shards, rank, answers[static_cast<std::size_t>(rank)], arguments);
  answer_padding(problem, arguments);
}

void MeshKernel::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  const MeshShards shards(problem, mesh(), program());
  const WorldSettings settings = world(device);
  const auto pass = [&](MeshCall& call) {
    call.start_shared(arguments);
    return call.run<RankGradients>([&](index number, Rank& rank) {
      return program().backward(rank, dealt(shards, number, arguments, rank.device));
    });
  };
  MeshCall call(shards, *local(), problem, arguments, settings, faults(shards, problem, arguments, settings, pass));
  const NotedFaults noted(events_.faults, call, device);
  const auto gradients = pass(call);
  hold_to(&RankProgram::backward_costs, problem, shards, call.used(), device);
  for (index rank = 0; rank < call.ranks(); ++rank)
    put_together(shards, rank, gradients[static_cast<std::size_t>(rank)], arguments);
  put_together(call.shared(), arguments);
  answer_padding(problem, arguments);
}

}  // namespace attestone::inline simulate
