// SPDX-License-Identifier: Apache-2.0
// Kernels that stand on ForwardingKernel reach every function of Kernel, also those that somebody adds later.
#include "backends/forwarding_kernel.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <regex>

#include "backends/changed_kernel.hpp"
#include "backends/top_left_causal.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

/// A kernel that notes which of its functions was called, and answers what no default of Kernel answers.
class Spy final : public Kernel {
 public:
  std::string name() const override { return heard(__func__), "spy"; }
  Support supports(const Problem& problem) const override {
    return heard(__func__, problem), Support::refused("is a spy");
  }
  Numerics numerics(const Problem& problem) const override {
    heard(__func__, problem);
    Numerics numerics = default_numerics(dtype("f32"), dtype("f32"));
    numerics.tile_queries = 77;
    return numerics;
  }
  Conventions conventions() const override {
    heard(__func__);
    return {.causal = CausalAlignment::top_left};
  }
  void forward(const Problem& problem, const Arguments&, Device&) const override { heard(__func__, problem); }
  index forward_bytes(const Problem& problem) const override { return heard(__func__, problem), 11; }
  bool computes_partials() const override { return heard(__func__), true; }
  void forward_partials(const Problem& problem, const PartialArguments&, Device&) const override {
    heard(__func__, problem);
  }
  bool computes_max_logits() const override { return heard(__func__), true; }
  bool computes_gradients() const override { return heard(__func__), true; }
  void backward(const Problem& problem, const BackwardArguments&, Device&) const override { heard(__func__, problem); }
  index backward_bytes(const Problem& problem) const override { return heard(__func__, problem), 12; }
  bool gradients_repeat(const Problem& problem) const override { return heard(__func__, problem), false; }
  bool wants_mask_bytes(const Problem& problem) const override { return heard(__func__, problem), true; }
  bool takes_parts() const override { return heard(__func__), true; }
  std::vector<Adjustment> adjustments(const Problem& problem) const override {
    return heard(__func__, problem), std::vector<Adjustment>{{"disguise", "none", "beard", "is a spy"}};
  }
  std::string devices() const override { return heard(__func__), "spies:2"; }
  std::vector<SharedKernel> on_fewer_devices() const override {
    return heard(__func__), std::vector<SharedKernel>{std::make_shared<Spy>()};
  }
  std::optional<std::uint64_t> fingerprint() const override { return heard(__func__), 7; }
  bool uses_attestone() const override { return heard(__func__), true; }
  void restart() const override { heard(__func__); }

  /// The calls since the last look: "supports of causal", say.
  std::vector<std::string> taken() const { return std::exchange(heard_, {}); }

 private:
  void heard(const char* function) const { heard_.emplace_back(function); }
  void heard(const char* function, const Problem& problem) const {
    heard_.push_back(std::string(function) + " of " + problem.mask.text());
  }
  mutable std::vector<std::string> heard_;
};

const Problem problem = [] {
  Problem of_first_keys;
  of_first_keys.mask = Mask("causal:top_left");
  return of_first_keys;
}();

/// A tensor of one number, for calls of kernels that look at none.
View one_number() {
  static Tensor tensor(dtype("f32"), {1, 1, 1, 1});
  return tensor.view();
}

KernelInputs one_number_each() { return {one_number(), one_number(), one_number(), {}, {}}; }

/// A call of each function of Kernel, by its name, and the answer as text.
const std::map<std::string, std::function<std::string(const Kernel&)>> calls{
    {"name", [](const Kernel& kernel) { return kernel.name(); }},
    {"supports", [](const Kernel& kernel) { return kernel.supports(problem).why; }},
    {"numerics", [](const Kernel& kernel) { return std::to_string(kernel.numerics(problem).tile_queries); }},
    {"conventions",
     [](const Kernel& kernel) {
       return std::string(kernel.conventions().causal == CausalAlignment::top_left ? "first" : "last");
     }},
    {"forward",
     [](const Kernel& kernel) {
       Device device;
       const Arguments arguments{one_number_each(), one_number(), one_number()};
       return kernel.forward(problem, arguments, device), "";
     }},
    {"forward_bytes", [](const Kernel& kernel) { return std::to_string(kernel.forward_bytes(problem)); }},
    {"computes_partials", [](const Kernel& kernel) { return std::to_string(kernel.computes_partials()); }},
    {"forward_partials",
     [](const Kernel& kernel) {
       Device device;
       const PartialArguments arguments{one_number_each(), one_number(), one_number(), one_number()};
       return kernel.forward_partials(problem, arguments, device), "";
     }},
    {"computes_max_logits", [](const Kernel& kernel) { return std::to_string(kernel.computes_max_logits()); }},
    {"computes_gradients", [](const Kernel& kernel) { return std::to_string(kernel.computes_gradients()); }},
    {"backward",
     [](const Kernel& kernel) {
       Device device;
       const View number = one_number();
       const BackwardArguments arguments{one_number_each(), number, number, number, {}, number, number, number, {}, {}};
       return kernel.backward(problem, arguments, device), "";
     }},
    {"backward_bytes", [](const Kernel& kernel) { return std::to_string(kernel.backward_bytes(problem)); }},
    {"gradients_repeat", [](const Kernel& kernel) { return std::to_string(kernel.gradients_repeat(problem)); }},
    {"wants_mask_bytes", [](const Kernel& kernel) { return std::to_string(kernel.wants_mask_bytes(problem)); }},
    {"takes_parts", [](const Kernel& kernel) { return std::to_string(kernel.takes_parts()); }},
    {"adjustments", [](const Kernel& kernel) { return kernel.adjustments(problem).at(0).to; }},
    {"devices", [](const Kernel& kernel) { return kernel.devices(); }},
    {"on_fewer_devices", [](const Kernel& kernel) { return kernel.on_fewer_devices().at(0)->name(); }},
    {"fingerprint", [](const Kernel& kernel) { return std::to_string(kernel.fingerprint().value_or(0)); }},
    {"uses_attestone", [](const Kernel& kernel) { return std::to_string(kernel.uses_attestone()); }},
    {"restart", [](const Kernel& kernel) { return kernel.restart(), ""; }},
};

/// The virtual functions that backends/kernel.hpp declares, without the destructor.
std::vector<std::string> virtual_functions() {
  std::ifstream file(source_folder() + "/backends/kernel.hpp");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::regex declaration(R"(\bvirtual\s+[^;{(~]*?(\w+)\()");
  std::vector<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) names.push_back((*at)[1]);
  return names;
}

class Plain final : public ForwardingKernel {
 public:
  using ForwardingKernel::ForwardingKernel;
};

/// Each call answers what the spy answers, and the spy hears of it once, about a problem with this mask.
void expect_forwarded(const Kernel& kernel, const Spy& spy, const std::string& mask) {
  for (const std::string& function : virtual_functions()) {
    ASSERT_TRUE(calls.contains(function)) << "no call of Kernel::" << function << " in this test";
    const auto& call = calls.at(function);
    const std::string direct = call(spy);
    const bool of_a_problem = spy.taken().back() != function;
    EXPECT_EQ(call(kernel), direct) << function;
    EXPECT_EQ(std::ranges::count(spy.taken(), of_a_problem ? function + " of " + mask : function), 1) << function;
  }
}

TEST(ForwardingKernel, ForwardsEveryFunctionOfKernel) {
  ASSERT_EQ(virtual_functions().size(), calls.size());
  const auto spy = std::make_shared<Spy>();
  expect_forwarded(Plain(spy), *spy, "causal:top_left");
  expect_forwarded(Plain(*spy), *spy, "causal:top_left");
}

TEST(ForwardingKernel, IsAllThatAKernelWithoutChangesDoes) {
  const auto spy = std::make_shared<Spy>();
  expect_forwarded(ChangedKernel(spy, {}), *spy, "causal:top_left");
}

TEST(ForwardingKernel, AsksForTopLeftCausalAsCausal) {
  const auto spy = std::make_shared<Spy>();
  expect_forwarded(*following_the_rules_of_causal(spy), *spy, "causal");
}

/// A mesh would merge what nobody changed.
TEST(ForwardingKernel, LeavesNothingUndividedWhereTheForwardPassIsChanged) {
  const auto spy = std::make_shared<Spy>();
  EXPECT_FALSE(
      changed(spy, {.forward = [](const Kernel&, const Problem&, const Arguments&, Device&) {}})->computes_partials());
  EXPECT_TRUE(changed(spy, {.name = "other"})->computes_partials());
}

}  // namespace
}  // namespace attestone
