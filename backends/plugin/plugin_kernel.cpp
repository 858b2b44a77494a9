// SPDX-License-Identifier: Apache-2.0
// Calling a library's functions as a kernel's.
#include "backends/plugin/plugin_kernel.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <xxhash.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugin/call_facts.hpp"
#include "backends/plugin/declared_limits.hpp"
#include "backends/plugin/declared_numerics.hpp"
#include "backends/plugin/kernel.h"
#include "backends/plugin/plugin_worker.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

/// What the copies of one kernel share.
struct LoadedPlugin {
  LoadedPlugin(const std::string& at, const CallLimits& call_limits)
      : path(at),
        worker(std::filesystem::absolute(at).string(), call_limits),
        said(worker.load()),
        limits(said.texts[2], at) {
    with_declared({}, said.texts[1], at);  // a mistake shows before anything is judged
  }

  std::string path;
  PluginWorker worker;
  wire::Reply said;
  DeclaredLimits limits;
  std::map<std::string, index> workspaces;  ///< bytes by the problem's text, and the pass
  std::set<std::string> answered;           ///< the texts of problems
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

  void restart() const {
    loaded->worker.restart();
    loaded->answered.clear();
  }

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
    CallPlan plan(problem, arguments, wire::Request::workspace, 0);
    const index bytes = loaded->worker.call(plan).value;
    if (bytes < 0) throw KernelFault("error-status", "attestone_workspace answered a negative number");
    return loaded->workspaces[key] = bytes;
  }

  template <class AnyArguments>
  void call(const Problem& problem, AnyArguments& arguments, wire::Request request, index bytes) const {
    const auto counted = arguments.workspace.template borrow<std::byte>(bytes);
    CallPlan plan(problem, arguments, request, bytes);
    const wire::Reply reply = loaded->worker.call(plan);
    check_status(problem, reply);
    plan.read_back();
    loaded->answered.insert(problem.text());
  }

  /// Throws what a status other than 0 means.
  void check_status(const Problem& problem, const wire::Reply& reply) const {
    if (reply.status == ATTESTONE_OK) return;
    const std::string message = reply.texts[0];
    if (reply.status != ATTESTONE_REFUSED)
      throw KernelFault("error-status",
                        fmt::format("answered status {}{}{}", reply.status, message.empty() ? "" : ": ", message));
    if (loaded->answered.count(problem.text()))
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
  if (!std::filesystem::is_regular_file(path)) throw UserError("there is no file " + path);
  Plugin plugin{std::make_shared<LoadedPlugin>(path, limits)};
  const bool backward = plugin.loaded->said.value & wire::has_backward;
  AnyKernel kernel = backward ? AnyKernel(plugin) : AnyKernel(ForwardPlugin(plugin));
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  kernel.fingerprint = XXH3_64bits(content.data(), content.size());
  return kernel;
}

}  // namespace attestone
