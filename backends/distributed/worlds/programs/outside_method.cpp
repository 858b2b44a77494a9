// SPDX-License-Identifier: Apache-2.0
// Asking programs what a rank is asked.
#include "backends/distributed/worlds/programs/outside_method.hpp"

#include <fmt/format.h>

#include "backends/distributed/worlds/programs/rank_conversation.hpp"
#include "backends/distributed/worlds/programs/rank_request.hpp"
#include "backends/kernel_fault.hpp"
#include "backends/plugins/program/program_answer.hpp"
#include "backends/plugins/protocol/call_facts.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone::inline backends {
namespace {

/// A tensor of the answer in a buffer of the rank's.
Buffer answered(Rank& rank, const Safetensors& answer, const std::string& name, const DType& format, const Buffer& like,
                index channels) {
  Buffer buffer(rank.device, name, format, like.rows(), like.heads(), channels);
  std::vector<index> shape{1, like.heads(), like.rows()};
  if (name != "log_sum_exp") shape.push_back(channels);
  copy_answer(answer, name, buffer.all(), shape);
  return buffer;
}

class OutsideProgram final : public RankProgram {
 public:
  explicit OutsideProgram(std::shared_ptr<RankWorkers> workers) : workers_(std::move(workers)) {}

  std::string name() const override { return "ranks:" + workers_->line(); }
  std::vector<std::string_view> axes() const override { return {"ring", "batch"}; }
  Dealing dealing() const override { return dealing_of(workers_->placement()); }
  index copies(const Shape&, index) const override { return 1; }
  index key_parts(const Mesh&) const override { return 1; }
  const DType& part_format(const Problem& problem, const Mesh&) const override { return problem.output; }
  bool merges_partials(const Mesh&) const override { return false; }
  bool knows_costs() const override { return false; }

  Support supports(const Problem& problem, const Mesh&) const override {
    if (const std::string what = not_carried(problem); !what.empty())
      return Support::refused("the pipe has no place for " + what);
    if (problem.backward && (problem.score.has_sink() || problem.score.bias_tensor()))
      return Support::refused("a rank's answer has no place for gradients of sinks and biases");
    return {};
  }

  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics) const override {
    return workers_->numerics(mesh.places()).on(problem, default_numerics(problem.input, problem.output));
  }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    Frame call = forward_request(rank, held);
    Task<Safetensors> conversation = converse(rank, *workers_, std::move(call));
    const Safetensors answer = co_await conversation;
    const Problem& whole = rank.attention.whole();
    Buffer out = answered(rank, answer, "out", whole.output, held.query, whole.shape.value_dim);
    RankAnswer all{std::move(out), answered(rank, answer, "log_sum_exp", whole.log_sum_exp_dtype(), held.query, 1)};
    co_return all;
  }

  Task<RankGradients> backward(Rank& rank, RankSaved held) const override {
    Frame call = backward_request(rank, held);
    Task<Safetensors> conversation = converse(rank, *workers_, std::move(call));
    const Safetensors answer = co_await conversation;
    const Problem& whole = rank.attention.whole();
    Buffer dquery = answered(rank, answer, "dquery", whole.output, held.query, whole.shape.dim);
    Buffer dkey = answered(rank, answer, "dkey", whole.output, held.key, whole.shape.dim);
    RankGradients all{std::move(dquery), std::move(dkey),
                      answered(rank, answer, "dvalue", whole.output, held.value, whole.shape.value_dim)};
    co_return all;
  }

  RankCosts forward_costs(const CostedRank&) const override { return {}; }
  RankCosts backward_costs(const CostedRank&) const override { return {}; }

 private:
  std::shared_ptr<RankWorkers> workers_;
};

/// In the place of a kernel: what the program takes of each rank's rows, and whether it has a backward pass.
class TakenByProgram final : public Kernel {
 public:
  explicit TakenByProgram(std::shared_ptr<RankWorkers> workers) : workers_(std::move(workers)) {}

  std::string name() const override { return workers_->line(); }
  Support supports(const Problem& problem) const override { return workers_->limits().supports(problem); }
  void forward(const Problem&, const Arguments&, Device&) const override {
    throw KernelFault("broken-rule", "ranks behind a pipe compute by themselves");
  }
  bool computes_gradients() const override { return workers_->backward(); }
  bool takes_parts() const override { return true; }
  bool wants_mask_bytes(const Problem& problem) const override {
    return !problem.mask.is_full() || !problem.lengths.empty() || !problem.query_lengths.empty();
  }
  std::optional<std::uint64_t> fingerprint() const override { return workers_->fingerprint(); }
  void restart() const override { workers_->restart(); }

 private:
  std::shared_ptr<RankWorkers> workers_;
};

}  // namespace

OutsideMethod outside_method(const std::string& line, const CallLimits& limits) {
  const auto workers = std::make_shared<RankWorkers>(line, limits);
  return {std::make_shared<OutsideProgram>(workers), std::make_shared<TakenByProgram>(workers)};
}

}  // namespace attestone::inline backends
