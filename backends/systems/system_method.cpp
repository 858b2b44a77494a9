// SPDX-License-Identifier: Apache-2.0
// Our methods under the names and within the limits of others.
#include "backends/systems/system_method.hpp"

#include "backends/distributed/method/changed_method.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

class WithinLimits final : public ChangedMethod {
 public:
  explicit WithinLimits(const SystemMethod& method)
      : ChangedMethod(method.ours), name_(method.name), limits_(method.limits) {}

  std::string name() const override { return name_; }
  Support supports(const Problem& problem, const Mesh& mesh) const override {
    const Support there = within(limits_, problem, mesh);
    return there ? ChangedMethod::supports(problem, mesh) : there;
  }

 private:
  std::string name_;
  std::vector<Limit> limits_;
};

}  // namespace

RegisteredSystem::RegisteredSystem(const std::vector<SystemMethod>& methods) {
  for (const SystemMethod& method : methods) {
    Registration<SystemMethod>{method};
    Registration<RankProgramEntry>({
        .name = method.name,
        .summary = method.summary,
        .settings = {},
        .examples = {},
        .meshes = method.meshes,
        .local = method.local,
        .make = [method](const Settings&) { return std::make_shared<WithinLimits>(method); },
    });
  }
}

}  // namespace attestone::inline backends
