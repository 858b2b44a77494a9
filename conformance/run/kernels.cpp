// SPDX-License-Identifier: Apache-2.0
// Looking up kernels among the published ones, the wrong ones and their twins.
#include "conformance/run/kernels.hpp"

#include "backends/catalogue.hpp"
#include "backends/distributed/method/rank_program.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {

SharedKernel find_kernel(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const Mutant* mutant = Registry<Mutant>::find(name);
  if (mutant && name != text)
    throw UserError("the wrong kernel '" + name + "' has no settings",
                    Place{text, name.size(), text.size() - name.size()});
  if (mutant) return mutant->kernel();
  if (const Twin* twin = Registry<Twin>::find(text)) return twin->kernel();
  if (Registry<KernelEntry>::find(name)) return make_kernel(text);
  std::vector<std::string> names = Registry<KernelEntry>::names();
  const std::string kernels = did_you_mean("", names);
  for (const std::string& distributed : Registry<RankProgramEntry>::names()) names.push_back(distributed);
  for (const std::string& wrong : Registry<Mutant>::names()) names.push_back(wrong);
  for (const std::string& right : Registry<Twin>::names()) names.push_back(right);
  const std::string hint = did_you_mean(name, names);
  throw UserError("unknown kernel '" + name + "'", Place{text, 0, name.size()},
                  hint.starts_with("known:") ? kernels + ", and attestone list mutants" : hint);
}

}  // namespace attestone::inline conformance
