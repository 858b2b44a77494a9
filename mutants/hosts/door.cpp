// SPDX-License-Identifier: Apache-2.0
// Laying out a call for a function of this process.
#include "mutants/hosts/door.hpp"

#include <fmt/format.h>
#include <mutex>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/declared/declared_limits.hpp"
#include "backends/plugins/declared/declared_numerics.hpp"
#include "backends/plugins/protocol/call_facts.hpp"
#include "backends/plugins/protocol/filled_arguments.hpp"
#include "backends/plugins/shared_library/call_plan.hpp"
#include "reference/numerics/declared_class.hpp"
#include "reference/problem/conventions.hpp"

namespace attestone::inline mutants {
namespace {

/// Where the tensors of a call lie, as attestone_args says it.
class CallHere {
 public:
  explicit CallHere(const CallPlan& plan) : call_(plan.call()) {
    wire::fill(args_, call_, [&](const wire::Region& region) -> std::byte* {
      if (!region.present) return nullptr;
      return (region.file == wire::inputs ? plan.inputs() : plan.outputs()).bytes().data() + region.begin;
    });
  }
  CallHere(const CallHere&) = delete;
  CallHere& operator=(const CallHere&) = delete;

  void lend(std::span<float> workspace) {
    args_.workspace = workspace.data();
    args_.workspace_bytes = static_cast<std::int64_t>(workspace.size_bytes());
  }
  const attestone_args& args() const { return args_; }

 private:
  wire::Call call_;  // shapes, strides and names live here
  attestone_args args_{};
};

class DoorKernel final : public Kernel {
 public:
  DoorKernel(std::string name, DoorFunctions functions)
      : name_(std::move(name)),
        functions_(std::move(functions)),
        limits_(functions_.limits, name_),
        numerics_(functions_.numerics, name_),
        conventions_(declared_conventions(functions_.conventions, name_)) {}

  std::string name() const override { return name_; }

  Support supports(const Problem& problem) const override {
    if (const std::string what = not_carried(problem); !what.empty())
      return Support::refused("the C interface has no place for " + what);
    const Support within = limits_.supports(problem);
    return within && functions_.beyond_limits ? functions_.beyond_limits(problem) : within;
  }

  Numerics numerics(const Problem& problem) const override {
    return numerics_.on(problem, default_numerics(problem.input, problem.output));
  }

  Conventions conventions() const override { return conventions_; }
  bool computes_max_logits() const override { return limits_.gives_max_logits(); }

  bool wants_mask_bytes(const Problem& problem) const override {
    return !problem.mask.is_full() || !problem.lengths.empty() || !problem.query_lengths.empty();
  }

  index forward_bytes(const Problem& problem) const override {
    if (!functions_.forward_workspace) return 0;
    Inputs inputs(problem);
    Outputs outputs(problem);
    return workspace_of(functions_.forward_workspace, problem, arguments_of(problem, inputs, outputs));
  }

  void forward(const Problem& problem, const Arguments& arguments, Device& device) const override {
    call(functions_.forward, functions_.forward_workspace, problem, arguments, wire::Request::forward, device);
  }

  bool computes_gradients() const override { return static_cast<bool>(functions_.backward); }

  index backward_bytes(const Problem& problem) const override {
    if (!functions_.backward_workspace) return 0;
    Inputs inputs(problem);
    Outputs outputs(problem);
    Gradients gradients(problem);
    return workspace_of(functions_.backward_workspace, problem, arguments_of(problem, inputs, outputs, gradients));
  }

  void backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const override {
    call(functions_.backward, functions_.backward_workspace, problem, arguments, wire::Request::backward, device);
  }

 private:
  using Function = std::function<void(const attestone_args&)>;
  using Workspace = std::function<std::int64_t(const attestone_args&)>;

  template <class AnyArguments>
  static index workspace_of(const Workspace& bytes, const Problem& problem, const AnyArguments& arguments) {
    if (!bytes) return 0;
    const CallPlan plan(problem, arguments, wire::Request::workspace, 0);
    return bytes(CallHere(plan).args());
  }

  template <class AnyArguments>
  void call(const Function& function, const Workspace& bytes, const Problem& problem, const AnyArguments& arguments,
            wire::Request request, Device& device) const {
    const index size = workspace_of(bytes, problem, arguments);
    auto workspace = device.allocate<float>(size / static_cast<index>(sizeof(float)), "workspace");
    CallPlan plan(problem, arguments, request, 0);
    call(plan, function, workspace.span());
  }

  void call(CallPlan& plan, const Function& function, std::span<float> workspace) const {
    plan.set_threads(door_threads);
    CallHere here(plan);
    here.lend(workspace);
    {
      const std::lock_guard one_at_a_time(calling_);
      function(here.args());
    }
    if (const std::string tensor = plan.scribbled(); !tensor.empty())
      throw KernelFault("out-of-bounds-write", fmt::format("bytes just before or behind {} were changed", tensor));
    plan.read_back();
  }

  std::string name_;
  DoorFunctions functions_;
  DeclaredLimits limits_;
  DeclaredNumerics numerics_;
  Conventions conventions_;
  mutable std::mutex calling_;
};

}  // namespace

SharedKernel door_kernel(std::string name, DoorFunctions functions) {
  return std::make_shared<const DoorKernel>(std::move(name), std::move(functions));
}

}  // namespace attestone::inline mutants
