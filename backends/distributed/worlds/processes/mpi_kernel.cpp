// SPDX-License-Identifier: Apache-2.0
// Filling requests, one for each rank, and reading answers.
#include "backends/distributed/worlds/processes/mpi_kernel.hpp"

#include <charconv>
#include <fmt/format.h>

#include "backends/catalogue.hpp"
#include "backends/distributed/mesh_kernel/dealt_call.hpp"
#include "backends/distributed/worlds/processes/frame_tensors.hpp"
#include "reference/call/bias_extents.hpp"

namespace attestone::inline backends {
namespace {

index number_of(const Safetensors& answer, const std::string& name) {
  return std::strtoll(demanded_text(answer, name).c_str(), nullptr, 10);
}

/// A rank's own count of what it sent and held.
DeviceUse use_of(const Safetensors& answer) {
  DeviceUse use;
  use.messages = number_of(answer, "messages");
  use.bytes = number_of(answer, "bytes");
  use.peak.bytes = number_of(answer, "peak");
  const std::string prefix = "peak of ";
  for (const auto& [name, text] : answer.metadata())
    if (name.starts_with(prefix)) use.peak.by_name[name.substr(prefix.size())] = number_of(answer, name);
  return use;
}

std::vector<DeviceUse> uses_of(const std::vector<Safetensors>& answers) {
  std::vector<DeviceUse> all;
  for (const Safetensors& answer : answers) all.push_back(use_of(answer));
  return all;
}

/// Which pairs are seen, as bytes.
void add_mask(Frame& frame, const Shape& shape, const VisiblePairs& mask) {
  Frame::NamedBytes tensor{"mask", "BOOL", {shape.batch, shape.heads, shape.queries, shape.keys}, {}};
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head)
      for (index query = 0; query < shape.queries; ++query) {
        const auto row = std::as_bytes(mask.row(batch, head, query));
        tensor.bytes.insert(tensor.bytes.end(), row.begin(), row.end());
      }
  frame.tensors.push_back(std::move(tensor));
}

/// A view of each element once: axes along which they repeat have extent 1.
ConstView without_repeats(const Problem& problem, const ConstView& bias) {
  return {bias.data(), bias.dtype(), bias_extents(problem), bias.strides()};
}

}  // namespace

void throw_if_fault(const Safetensors& answer, index rank) {
  if (answer.metadata().contains("fault"))
    throw KernelFault(demanded_text(answer, "fault"), fmt::format("rank {}: {}", rank, demanded_text(answer, "says")));
}

MpiKernel::MpiKernel(std::string method, std::string local, Mesh mesh, std::shared_ptr<RankCrew> crew)
    : DistributedKernel(make_rank_program(method), make_kernel(local), std::move(mesh)),
      method_(std::move(method)),
      local_text_(std::move(local)),
      crew_(std::move(crew)) {
  require(this->mesh().devices() <= crew_->size(), "every device of a mesh is a process");
}

std::vector<SharedKernel> MpiKernel::on_fewer_devices() const {
  std::vector<SharedKernel> all;
  for (Mesh& fewer : smaller(mesh()))
    all.push_back(std::make_shared<MpiKernel>(method_, local_text_, std::move(fewer), crew_));
  return all;
}

Frame MpiKernel::request(const char* pass, const Problem& problem, const KernelInputs& inputs,
                         const Device& device) const {
  Frame frame;
  frame.texts = {
      {"call", pass},          {"problem", problem.text()},
      {"method", method_},     {"local", local_text_},
      {"mesh", mesh().text()}, {"fresh", device.fresh_memory() == FreshMemory::poisoned ? "poisoned" : "as it was"}};
  if (inputs.bias) add_tensor(frame, "bias", without_repeats(problem, *inputs.bias));
  if (inputs.sink) add_tensor(frame, "sink", *inputs.sink);
  if (inputs.mask) add_mask(frame, problem.shape, *inputs.mask);
  return frame;
}

template <class Held>
std::vector<Safetensors> MpiKernel::ask(const Frame& of_all, Held held) const {
  std::vector<Frame> requests;
  for (index rank = 0; rank < mesh().devices(); ++rank) {
    Frame own = of_all;
    held(rank, own);
    requests.push_back(std::move(own));
  }
  return crew_->ask(requests);
}

void MpiKernel::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const MeshShards shards(problem, mesh(), program());
  const auto answers = ask(request("forward", problem, arguments, device), [&](index rank, Frame& frame) {
    Device scratch(FreshMemory::as_it_was);
    const RankInputs held = dealt(shards, rank, arguments, scratch);
    add_tensor(frame, "query", held.query.all());
    add_tensor(frame, "key", held.key.all());
    add_tensor(frame, "value", held.value.all());
  });
  hold_to(&RankProgram::forward_costs, problem, shards, uses_of(answers), device);
  for (index rank = 0; rank < shards.ranks(); ++rank) {
    const Safetensors& answer = answers[static_cast<std::size_t>(rank)];
    Device scratch(FreshMemory::as_it_was);
    const RankAnswer own{buffer_of(answer, "out", scratch), buffer_of(answer, "log_sum_exp", scratch)};
    put_together(shards, rank, own, arguments);
  }
  answer_padding(problem, arguments);
}

void MpiKernel::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  const MeshShards shards(problem, mesh(), program());
  Frame of_all = request("backward", problem, arguments, device);
  if (arguments.dsink) of_all.texts["sum of dsink"] = extents_text(arguments.dsink->extents());
  if (arguments.dbias) of_all.texts["sum of dbias"] = extents_text(arguments.dbias->extents());
  const auto answers = ask(of_all, [&](index rank, Frame& frame) {
    Device scratch(FreshMemory::as_it_was);
    const RankSaved held = dealt(shards, rank, arguments, scratch);
    add_tensor(frame, "query", held.query.all());
    add_tensor(frame, "key", held.key.all());
    add_tensor(frame, "value", held.value.all());
    add_tensor(frame, "out", held.out.all());
    add_tensor(frame, "log_sum_exp", held.log_sum_exp.all());
    add_tensor(frame, "dout", held.dout.all());
  });
  hold_to(&RankProgram::backward_costs, problem, shards, uses_of(answers), device);
  std::deque<Tensor> sums;
  std::vector<SharedGradients> shared;
  for (index rank = 0; rank < shards.ranks(); ++rank) {
    const Safetensors& answer = answers[static_cast<std::size_t>(rank)];
    Device scratch(FreshMemory::as_it_was);
    const RankGradients own{buffer_of(answer, "dquery", scratch), buffer_of(answer, "dkey", scratch),
                            buffer_of(answer, "dvalue", scratch)};
    put_together(shards, rank, own, arguments);
    const auto sum = [&](const char* name) -> std::optional<View> {
      if (!has_tensor(answer, name)) return std::nullopt;
      return sums.emplace_back(tensor_of(answer, name)).view();
    };
    shared.push_back({sum("sum of dsink"), sum("sum of dbias")});
  }
  put_together(shared, arguments);
  answer_padding(problem, arguments);
}

}  // namespace attestone::inline backends
