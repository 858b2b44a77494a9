// SPDX-License-Identifier: Apache-2.0
// Naming masks anew on their way to a kernel.
#include "backends/top_left_causal.hpp"

#include <algorithm>
#include <string_view>

#include "backends/forwarding_kernel.hpp"
#include "backends/square.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char *by_last = "causal", *by_first = "causal:top_left";

bool mentions(const Mask& mask, std::string_view rule) {
  if (mask.kind() == Mask::Kind::rule) return mask.rule() == rule;
  return std::ranges::any_of(mask.parts(), [&](const Mask& part) { return mentions(part, rule); });
}

/// The mask with one rule in the place of another, neither of which has arguments.
Mask renamed(const Mask& mask, std::string_view from, const char* to) {
  if (mask.kind() == Mask::Kind::rule) return mask.rule() == from ? Mask(to) : mask;
  if (mask.kind() == Mask::Kind::not_) return ~renamed(mask.parts().front(), from, to);
  Mask all = renamed(mask.parts().front(), from, to);
  for (std::size_t at = 1; at < mask.parts().size(); ++at) {
    const Mask next = renamed(mask.parts()[at], from, to);
    all = mask.kind() == Mask::Kind::and_ ? all & next : all | next;
  }
  return all;
}

class TopLeftCausal final : public ForwardingKernel {
 public:
  using ForwardingKernel::ForwardingKernel;

  Support supports(const Problem& problem) const override {
    if (mentions(problem.mask, by_last) && !is_square(problem))
      return Support::refused("its causal aligns the first query with the first key, and cannot say otherwise");
    return ForwardingKernel::supports(problem);
  }
  std::vector<SharedKernel> on_fewer_devices() const override {
    std::vector<SharedKernel> all;
    for (SharedKernel& fewer : inner().on_fewer_devices())
      all.push_back(following_the_rules_of_causal(std::move(fewer)));
    return all;
  }

 private:
  Problem worded(const Problem& problem) const override { return as_named(problem, conventions()); }
};

}  // namespace

Problem as_understood(Problem problem, const Conventions& conventions) {
  const bool differs = conventions.causal == CausalAlignment::top_left && !is_square(problem);
  if (differs) problem.mask = renamed(problem.mask, by_last, by_first);
  return problem;
}

Problem as_named(Problem problem, const Conventions& conventions) {
  if (conventions.causal == CausalAlignment::top_left) problem.mask = renamed(problem.mask, by_first, by_last);
  return problem;
}

SharedKernel following_the_rules_of_causal(SharedKernel kernel) {
  if (kernel->conventions().causal == CausalAlignment::bottom_right) return kernel;
  return std::make_shared<const TopLeftCausal>(std::move(kernel));
}

}  // namespace attestone::inline backends
