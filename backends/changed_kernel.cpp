// SPDX-License-Identifier: Apache-2.0
// Asking the changes first, then the kernel beneath.
#include "backends/changed_kernel.hpp"

#include "reference/numerics/declaration.hpp"

namespace attestone::inline backends {

void ChangedKernel::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  if (own_.forward) return own_.forward(inner(), problem, arguments, device);
  inner().forward(problem, arguments, device);
}

void ChangedKernel::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  if (own_.backward) return own_.backward(inner(), problem, arguments, device);
  inner().backward(problem, arguments, device);
}

bool ChangedKernel::wants_mask_bytes(const Problem& problem) const {
  return own_.wants_mask_bytes ? own_.wants_mask_bytes(problem) : inner().wants_mask_bytes(problem);
}

/// A kernel with a name of its own was made for its devices.
std::vector<SharedKernel> ChangedKernel::on_fewer_devices() const {
  std::vector<SharedKernel> all;
  if (own_.name) return all;
  for (SharedKernel& fewer : inner().on_fewer_devices()) all.push_back(changed(std::move(fewer), own_));
  return all;
}

std::optional<std::uint64_t> ChangedKernel::fingerprint() const {
  return own_.fingerprint ? own_.fingerprint : inner().fingerprint();
}

SharedKernel changed(SharedKernel kernel, KernelChanges changes) {
  return std::make_shared<const ChangedKernel>(std::move(kernel), std::move(changes));
}

ChangedKernel declaring(const Kernel& kernel, std::string fields) {
  return {kernel, {.numerics = [&kernel, fields = std::move(fields)](const Problem& problem) {
            return with_declared(kernel.numerics(problem), fields, "a declaration");
          }}};
}

}  // namespace attestone::inline backends
