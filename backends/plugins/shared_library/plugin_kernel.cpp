// SPDX-License-Identifier: Apache-2.0
// Calling a library's functions as a kernel's.
#include "backends/plugins/shared_library/plugin_kernel.hpp"

#include <fmt/format.h>
#include <map>
#include <memory>
#include <new>
#include <omp.h>
#include <set>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/declared/declared_limits.hpp"
#include "backends/plugins/declared/declared_numerics.hpp"
#include "backends/plugins/protocol/call_facts.hpp"
#include "backends/plugins/protocol/errors_in_a_row.hpp"
#include "backends/plugins/protocol/kernel.h"
#include "backends/plugins/shared_library/plugin_worker.hpp"
#include "reference/files/regular_file.hpp"
#include "reference/numerics/declared_class.hpp"
#include "reference/system_failure.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

/// One of the library's processes.
struct Process {
  PluginWorker worker;
  ErrorsInARow errors = {};

  void restart() {
    worker.restart();
    errors.answered();
  }
};

/// The library with its processes, and what is known of it.
struct LoadedPlugin {
  LoadedPlugin(const std::string& at, const CallLimits& call_limits)
      : path(at),
        limits_of_calls(call_limits),
        library(std::make_shared<LibraryCopy>(at)),
        threads(omp_get_max_threads()),
        usual{PluginWorker(library, call_limits, threads)},
        said(usual.worker.load()),
        limits(said.texts[wire::Said::limits], at),
        numerics(said.texts[wire::Said::numerics], at),
        conventions(declared_conventions(said.texts[wire::Said::conventions], at)) {}

  /// A call with another number of threads than usual meets a process that began with another number: what depends on
  /// either shows as other bits.
  Process& process() {
    const int wanted = omp_get_max_threads();
    if (wanted == threads) return usual;
    if (!other) other = Process{PluginWorker(library, limits_of_calls, wanted)};
    return *other;
  }

  void restart() {
    usual.restart();
    if (other) other->restart();
    answered.clear();
    calls = 0;
  }

  /// Twice at one address, twice at the other: a kernel that remembers by address meets old places with new data.
  int next_place() { return static_cast<int>(calls++ / 2 % 2); }

  std::string path;
  CallLimits limits_of_calls;
  std::shared_ptr<const LibraryCopy> library;
  int threads;
  Process usual;
  std::optional<Process> other;
  wire::Reply said;
  DeclaredLimits limits;
  DeclaredNumerics numerics;
  Conventions conventions;
  std::map<std::string, index> workspaces;  ///< bytes by the problem's text, and the pass
  index calls = 0;
  std::set<std::uint64_t> answered;  ///< digests of calls: problem, pass and inputs
};

class PluginKernel final : public Kernel {
 public:
  PluginKernel(const std::string& path, const CallLimits& limits)
      : loaded_(std::make_unique<LoadedPlugin>(path, limits)) {}

  std::string name() const override { return "plugin:" + loaded_->path; }

  Support supports(const Problem& problem) const override {
    if (const std::string what = not_carried(problem); !what.empty())
      return Support::refused("the C interface has no place for " + what);
    return loaded_->limits.supports(problem);
  }

  Numerics numerics(const Problem& problem) const override {
    return loaded_->numerics.on(problem, default_numerics(problem.input, problem.output));
  }

  Conventions conventions() const override { return loaded_->conventions; }
  bool computes_max_logits() const override { return loaded_->limits.gives_max_logits(); }

  bool wants_mask_bytes(const Problem& problem) const override {
    return !problem.mask.is_full() || !problem.lengths.empty() || !problem.query_lengths.empty();
  }

  std::optional<std::uint64_t> fingerprint() const override { return loaded_->library->fingerprint(); }
  bool uses_attestone() const override {
    return loaded_->usual.worker.uses_attestone() || (loaded_->other && loaded_->other->worker.uses_attestone());
  }
  void restart() const override { loaded_->restart(); }

  index forward_bytes(const Problem& problem) const override {
    Inputs inputs(problem);
    Outputs outputs(problem);
    return workspace_of(problem, arguments_of(problem, inputs, outputs));
  }

  void forward(const Problem& problem, const Arguments& arguments, Device& device) const override {
    call(problem, arguments, wire::Request::forward, device);
  }

  bool computes_gradients() const override { return loaded_->said.value & wire::has_backward; }

  index backward_bytes(const Problem& problem) const override {
    Inputs inputs(problem);
    Outputs outputs(problem);
    Gradients gradients(problem);
    return workspace_of(problem, arguments_of(problem, inputs, outputs, gradients));
  }

  void backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const override {
    call(problem, arguments, wire::Request::backward, device);
  }

 private:
  template <class AnyArguments>
  index workspace_of(const Problem& problem, const AnyArguments& arguments) const {
    if (!(loaded_->said.value & wire::has_workspace)) return 0;
    constexpr bool backward = std::is_same_v<AnyArguments, BackwardArguments>;
    const std::string key = problem.text() + (backward ? " backward" : "");
    if (const auto known = loaded_->workspaces.find(key); known != loaded_->workspaces.end()) return known->second;
    const auto plan = planned(problem, arguments, wire::Request::workspace, 0);
    const index bytes = loaded_->process().worker.call(*plan).value;
    if (bytes < 0) throw KernelFault("error-status", "attestone_workspace answered a negative number");
    if (const index most = loaded_->limits_of_calls.resident_bytes; bytes > most)
      throw KernelFault("too-much-memory",
                        fmt::format("asks for a workspace of {} bytes, {} are the most", bytes, most));
    return loaded_->workspaces[key] = bytes;
  }

  /// The call, with the number of threads that this one is to use. It stays where it is: its parts point to each other.
  template <class AnyArguments>
  std::unique_ptr<CallPlan> planned(const Problem& problem, const AnyArguments& arguments, wire::Request request,
                                    index workspace_bytes) const {
    try {
      auto plan = std::make_unique<CallPlan>(problem, arguments, request, workspace_bytes, loaded_->next_place());
      plan->set_threads(omp_get_max_threads());
      return plan;
    } catch (const std::bad_alloc&) {
      throw SystemFailure("there is not enough memory for the tensors of a call");
    }
  }

  template <class AnyArguments>
  void call(const Problem& problem, const AnyArguments& arguments, wire::Request request, Device& device) const {
    const index bytes = workspace_of(problem, arguments);
    const CountedBytes elsewhere(device, bytes, "workspace");
    Process& process = loaded_->process();
    std::unique_ptr<CallPlan> plan;
    wire::Reply reply;
    do {
      plan = planned(problem, arguments, request, bytes);
      reply = process.worker.call(*plan);
    } while (starts_afresh(process, problem, reply));
    const std::uint64_t asked = plan->digest();
    check_status(asked, reply);
    plan->read_back();
    loaded_->answered.insert(asked);
  }

  static bool is_error(const wire::Reply& reply) {
    return reply.status != ATTESTONE_OK && reply.status != ATTESTONE_REFUSED;
  }

  /// True if the call must be made again in a new process.
  static bool starts_afresh(Process& process, const Problem& problem, const wire::Reply& reply) {
    if (!is_error(reply)) {
      process.errors.answered();
      return false;
    }
    if (!process.errors.may_be_inherited(problem.text())) return false;
    process.worker.restart();
    return true;
  }

  /// Throws what a status other than 0 means; `asked` is the digest of the call.
  void check_status(std::uint64_t asked, const wire::Reply& reply) const {
    if (reply.status == ATTESTONE_OK) return;
    const std::string message = reply.texts[0];
    if (is_error(reply))
      throw KernelFault("error-status",
                        fmt::format("answered status {}{}{}", reply.status, message.empty() ? "" : ": ", message));
    if (loaded_->answered.count(asked))
      throw KernelFault("refused-later", "refuses what it has answered before: " + message);
    throw KernelRefusal(message.empty() ? "refuses, without a reason" : message);
  }

  const std::unique_ptr<LoadedPlugin> loaded_;
};

}  // namespace

SharedKernel plugin_kernel(const std::string& path, const CallLimits& limits) {
  const RegularFile is_one(path);
  return std::make_shared<PluginKernel>(path, limits);
}

}  // namespace attestone::inline backends
