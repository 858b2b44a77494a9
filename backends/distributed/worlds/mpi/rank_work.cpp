// SPDX-License-Identifier: Apache-2.0
// Setting up one rank from texts and tensors, running it, and packing what it has computed.
#include "backends/distributed/worlds/mpi/rank_work.hpp"

#include <fmt/format.h>

#include "backends/catalogue.hpp"
#include "backends/distributed/mesh_kernel/dealt_call.hpp"
#include "backends/distributed/worlds/mpi/mpi_rank.hpp"
#include "backends/distributed/worlds/processes/frame_tensors.hpp"
#include "backends/kernel_fault.hpp"

namespace attestone::inline backends {
namespace {

Mesh mesh_of_text(const std::string& text) {
  Scanner in(text);
  return read_mesh(in);
}

/// The inputs that all ranks have of a call, as sent to this one.
class SharedInputs {
 public:
  SharedInputs(const Safetensors& request, const Problem& problem)
      : request_(request), inputs_{nothing("query"), nothing("key"), nothing("value"), std::nullopt, std::nullopt} {
    const Shape& shape = problem.shape;
    if (has_tensor(request, "bias"))
      inputs_.bias = bias_.emplace(tensor_of(request, "bias"))
                         .view()
                         .broadcast_to({shape.batch, shape.heads, shape.queries, shape.keys});
    if (has_tensor(request, "sink")) inputs_.sink = sink_.emplace(tensor_of(request, "sink")).view();
    if (!has_tensor(request, "mask")) return;
    const std::span<const std::byte> bytes = request.tensor("mask").bytes;
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
    inputs_.mask = &mask_.emplace(Extents{shape.batch, shape.heads, shape.queries, shape.keys},
                                  std::vector<std::uint8_t>(begin, begin + bytes.size()));
  }
  SharedInputs(const SharedInputs&) = delete;
  SharedInputs& operator=(const SharedInputs&) = delete;

  const KernelInputs& get() const { return inputs_; }

 private:
  /// No rows, of the tensor's format.
  ConstView nothing(const std::string& name) const {
    const std::string& text = demanded_text(request_, name);
    return {nullptr, dtype(text.substr(0, text.find(' '))), Extents{}, Strides{}};
  }

  const Safetensors& request_;
  std::optional<Tensor> bias_, sink_;
  std::optional<VisiblePairs> mask_;
  KernelInputs inputs_;
};

/// One rank, set up for one call.
class RankWork {
 public:
  RankWork(const Safetensors& request, MPI_Comm communicator, index number, RankStanding& standing)
      : request_(request),
        problem_(parse_problem(demanded_text(request, "problem"))),
        program_(make_rank_program(demanded_text(request, "method"))),
        local_(make_kernel(demanded_text(request, "local"))),
        mesh_(mesh_of_text(demanded_text(request, "mesh"))),
        shards_(problem_, mesh_, *program_),
        inputs_(request, problem_),
        fresh_(demanded_text(request, "fresh") == "poisoned" ? FreshMemory::poisoned : FreshMemory::as_it_was),
        device_(fresh_),
        workspace_(fresh_),
        transport_(communicator, number, standing),
        communicator_(transport_, number),
        rank_(shards_.rank(number, communicator_, device_,
                           LocalAttention(*local_, problem_, inputs_.get(), workspace_))) {}

  Frame run() {
    demanded_text(request_, "call") == "forward" ? forward() : backward();
    const Traffic sent = transport_.sent();
    const MemoryUse peak = device_.peak();
    answer_.texts["messages"] = std::to_string(sent.messages);
    answer_.texts["bytes"] = std::to_string(sent.bytes);
    answer_.texts["peak"] = std::to_string(peak.bytes);
    for (const auto& [name, bytes] : peak.by_name) answer_.texts["peak of " + name] = std::to_string(bytes);
    return std::move(answer_);
  }

 private:
  Buffer held(const std::string& name) { return buffer_of(request_, name, device_); }

  void forward() {
    RankInputs inputs{held("query"), held("key"), held("value")};
    const RankAnswer answer = answer_of_task(program_->forward(rank_, std::move(inputs)));
    add_tensor(answer_, "out", answer.out.all());
    add_tensor(answer_, "log_sum_exp", answer.log_sum_exp.all());
  }

  void backward() {
    std::optional<SharedSum> dsink, dbias;
    const auto zeros = [&](std::optional<SharedSum>& sum, const char* name) -> std::optional<View> {
      if (!request_.metadata().contains(name)) return std::nullopt;
      return sum.emplace(workspace_, name, read_extents(demanded_text(request_, name))).view();
    };
    rank_.shared = {zeros(dsink, "sum of dsink"), zeros(dbias, "sum of dbias")};
    RankSaved saved{held("query"), held("key"), held("value"), held("out"), held("log_sum_exp"), held("dout")};
    const RankGradients gradients = answer_of_task(program_->backward(rank_, std::move(saved)));
    add_tensor(answer_, "dquery", gradients.dquery.all());
    add_tensor(answer_, "dkey", gradients.dkey.all());
    add_tensor(answer_, "dvalue", gradients.dvalue.all());
    if (dsink) add_tensor(answer_, "sum of dsink", dsink->view());
    if (dbias) add_tensor(answer_, "sum of dbias", dbias->view());
  }

  template <class Answer>
  Answer answer_of_task(Task<Answer> task) {
    std::optional<Answer> answer;
    const auto keep = [&answer](Task<Answer> own) -> Task<> {
      Answer computed = co_await own;
      answer.emplace(std::move(computed));
    };
    transport_.run(keep(std::move(task)));
    return std::move(*answer);
  }

  const Safetensors& request_;
  Problem problem_;
  std::shared_ptr<const RankProgram> program_;
  SharedKernel local_;
  Mesh mesh_;
  MeshShards shards_;
  SharedInputs inputs_;
  FreshMemory fresh_;
  Device device_, workspace_;
  MpiRank transport_;
  Communicator communicator_;
  Rank rank_;
  Frame answer_;
};

Frame fault(const std::string& reason, const std::string& what) {
  Frame frame;
  frame.texts = {{"fault", reason}, {"says", what}};
  return frame;
}

}  // namespace

Frame answer_of(const Safetensors& request, MPI_Comm communicator, index rank, RankStanding& standing) {
  standing.set(RankStanding::works);
  try {
    Frame answer = RankWork(request, communicator, rank, standing).run();
    standing.set(RankStanding::ended);
    return answer;
  } catch (const KernelFault& mistake) {
    return fault(mistake.reason(), mistake.what());
  } catch (const std::exception& error) {
    return fault("crashed", error.what());
  }
}

}  // namespace attestone::inline backends
