// SPDX-License-Identifier: Apache-2.0
// Calling a library's functions as a kernel's.
#include "backends/doors/library/plugin_kernel.hpp"

#include <fmt/format.h>
#include <map>
#include <memory>
#include <new>
#include <omp.h>
#include <set>

#include "backends/doors/call/call_facts.hpp"
#include "backends/doors/call/kernel.h"
#include "backends/doors/declared/declared_limits.hpp"
#include "backends/doors/declared/declared_numerics.hpp"
#include "backends/doors/library/plugin_worker.hpp"
#include "backends/kernel_fault.hpp"
#include "reference/files/regular_file.hpp"
#include "reference/system_failure.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

/// What the copies of one kernel share.
struct LoadedPlugin {
  LoadedPlugin(const std::string& at, const CallLimits& call_limits)
      : path(at),
        limits_of_calls(call_limits),
        library(std::make_shared<LibraryCopy>(at)),
        threads(omp_get_max_threads()),
        worker(library, call_limits, threads),
        said(worker.load()),
        limits(said.texts[2], at) {
    with_declared({}, said.texts[1], at);  // a mistake shows before anything is judged
  }

  /// A call with another number of threads than usual meets a process that began with another number: what depends on
  /// either shows as other bits.
  wire::Reply call(CallPlan& plan) {
    const int wanted = omp_get_max_threads();
    if (wanted == threads) return worker.call(plan);
    if (!other) other.emplace(library, limits_of_calls, wanted);
    return other->call(plan);
  }

  void restart() {
    worker.restart();
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
  PluginWorker worker;
  std::optional<PluginWorker> other;
  wire::Reply said;
  DeclaredLimits limits;
  std::map<std::string, index> workspaces;  ///< bytes by the problem's text, and the pass
  index calls = 0;
  std::set<std::uint64_t> answered;  ///< digests of calls: problem, pass and inputs
};

struct Plugin {
  std::shared_ptr<LoadedPlugin> loaded;

  std::string name() const { return "plugin:" + loaded->path; }

  Support supports(const Problem& problem) const {
    if (const std::string what = not_carried(problem); !what.empty())
      return Support::refused("the C interface has no place for " + what);
    return loaded->limits.supports(problem);
  }

  Numerics numerics(const Problem& problem) const {
    return with_declared(default_numerics(problem.input, problem.output), loaded->said.texts[1], loaded->path);
  }

  bool wants_mask_bytes(const Problem& problem) const {
    return !problem.mask.is_full() || !problem.lengths.empty() || !problem.query_lengths.empty();
  }

  void restart() const { loaded->restart(); }

  index workspace_bytes(const Problem& problem) const {
    Inputs inputs(problem);
    Outputs outputs(problem);
    Workspace none;
    return workspace_of(problem, arguments_of(problem, inputs, outputs, none));
  }

  void run(const Problem& problem, Arguments& arguments) const {
    call(problem, arguments, wire::Request::forward, workspace_of(problem, arguments));
  }

  index backward_workspace_bytes(const Problem& problem) const {
    Inputs inputs(problem);
    Outputs outputs(problem);
    Gradients gradients(problem);
    Workspace none;
    return workspace_of(problem, arguments_of(problem, inputs, outputs, gradients, none));
  }

  void run_backward(const Problem& problem, BackwardArguments& arguments) const {
    call(problem, arguments, wire::Request::backward, workspace_of(problem, arguments));
  }

 private:
  template <class AnyArguments>
  index workspace_of(const Problem& problem, const AnyArguments& arguments) const {
    if (!(loaded->said.value & wire::has_workspace)) return 0;
    constexpr bool backward = std::is_same_v<AnyArguments, BackwardArguments>;
    const std::string key = problem.text() + (backward ? " backward" : "");
    if (const auto known = loaded->workspaces.find(key); known != loaded->workspaces.end()) return known->second;
    const auto plan = planned(problem, arguments, wire::Request::workspace, 0);
    const index bytes = loaded->call(*plan).value;
    if (bytes < 0) throw KernelFault("error-status", "attestone_workspace answered a negative number");
    if (const index most = loaded->limits_of_calls.resident_bytes; bytes > most)
      throw KernelFault("too-much-memory",
                        fmt::format("asks for a workspace of {} bytes, {} are the most", bytes, most));
    return loaded->workspaces[key] = bytes;
  }

  /// The call, with the number of threads that this one is to use. It stays where it is: its parts point to each other.
  template <class AnyArguments>
  std::unique_ptr<CallPlan> planned(const Problem& problem, AnyArguments& arguments, wire::Request request,
                                    index workspace_bytes) const {
    try {
      auto plan = std::make_unique<CallPlan>(problem, arguments, request, workspace_bytes, loaded->next_place());
      plan->set_threads(omp_get_max_threads());
      return plan;
    } catch (const std::bad_alloc&) {
      throw SystemFailure("there is not enough memory for the tensors of a call");
    }
  }

  template <class AnyArguments>
  void call(const Problem& problem, AnyArguments& arguments, wire::Request request, index bytes) const {
    arguments.workspace.note(bytes);
    const auto plan = planned(problem, arguments, request, bytes);
    const wire::Reply reply = loaded->call(*plan);
    const std::uint64_t asked = plan->digest();
    check_status(asked, reply);
    plan->read_back();
    loaded->answered.insert(asked);
  }

  /// Throws what a status other than 0 means; `asked` is the digest of the call.
  void check_status(std::uint64_t asked, const wire::Reply& reply) const {
    if (reply.status == ATTESTONE_OK) return;
    const std::string message = reply.texts[0];
    if (reply.status != ATTESTONE_REFUSED)
      throw KernelFault("error-status",
                        fmt::format("answered status {}{}{}", reply.status, message.empty() ? "" : ": ", message));
    if (loaded->answered.count(asked))
      throw KernelFault("refused-later", "refuses what it has answered before: " + message);
    throw KernelRefusal(message.empty() ? "refuses, without a reason" : message);
  }
};

/// One without a backward pass.
struct ForwardPlugin : private Plugin {
  explicit ForwardPlugin(Plugin plugin) : Plugin(std::move(plugin)) {}
  using Plugin::name, Plugin::supports, Plugin::numerics, Plugin::wants_mask_bytes, Plugin::restart,
      Plugin::workspace_bytes, Plugin::run;
};

}  // namespace

AnyKernel plugin_kernel(const std::string& path, const CallLimits& limits) {
  const RegularFile is_one(path);
  Plugin plugin{std::make_shared<LoadedPlugin>(path, limits)};
  const bool backward = plugin.loaded->said.value & wire::has_backward;
  AnyKernel kernel = backward ? AnyKernel(plugin) : AnyKernel(ForwardPlugin(plugin));
  kernel.fingerprint = plugin.loaded->library->fingerprint();
  return kernel;
}

}  // namespace attestone
