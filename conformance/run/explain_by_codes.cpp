// SPDX-License-Identifier: Apache-2.0
// Holding a kernel to other codes, one after the other.
#include "conformance/run/explain_by_codes.hpp"

#include <algorithm>

#include "backends/changed_kernel.hpp"
#include "conformance/diagnosis/declarations/known_codes.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// Problems with blocks of every size that kernels have, and a part of one; the cheap ones first.
std::vector<Problem> longer(const Problem& failed) {
  std::vector<Problem> all;
  for (const auto& [queries, keys, fill] : {std::tuple<index, index, const char*>{9, 70, "normal"},
                                            {40, 150, "channel_offset"},
                                            {130, 20, "normal"},
                                            {150, 300, "outliers"},
                                            {300, 300, "normal"}}) {
    Problem problem = failed;
    problem.shape.batch = 1, problem.shape.heads = 2, problem.shape.kv_heads = 1;
    problem.shape.queries = queries, problem.shape.keys = keys;
    problem.lengths.clear(), problem.query_lengths.clear();
    problem.mask = Mask();
    problem.fill = parse_problem(std::string("shape=1x1x1x1x1 fill=") + fill).fill;
    problem.seed = failed.seed + static_cast<std::uint64_t>(keys);
    all.push_back(std::move(problem));
  }
  return all;
}

class OtherCodes {
 public:
  OtherCodes(const Kernel& kernel, const Failure& failure, const Stop& stop)
      : kernel_(kernel), property_(*failure.property), stop_(stop), problems_{failure.least, failure.first} {
    for (Problem& problem : longer(failure.first))
      if (kernel.takes(problem)) problems_.push_back(std::move(problem));
  }

  std::optional<SufficientDeclaration> find() {
    constexpr std::size_t least_problems = 4;
    if (problems_.size() < least_problems) return std::nullopt;
    for (const KnownCodes& codes : known_codes(kernel_.numerics(problems_.front())))
      if (explain_all(codes.declares))
        return SufficientDeclaration{{codes.says}, codes.declares, std::ssize(problems_)};
    return std::nullopt;
  }

 private:
  /// Whether no answer is another one than to these codes, and three are no weak cases. What refuted the last codes is
  /// asked first.
  bool explain_all(const std::string& declares) {
    const ChangedKernel other = declaring(kernel_, declares);
    index passed = 0;
    const auto refutes = [&](const Problem& problem) {
      stop_.check();
      const Outcome outcome = examine_case(other, property_, problem).outcome;
      passed += outcome == Outcome::passed ? 1 : 0;
      return outcome == Outcome::failed;
    };
    const auto refuter = std::ranges::find_if(problems_, refutes);
    if (refuter == problems_.end()) return passed >= 3;
    std::rotate(problems_.begin(), refuter, refuter + 1);
    return false;
  }

  const Kernel& kernel_;
  const Property& property_;
  const Stop& stop_;
  std::vector<Problem> problems_;
};

}  // namespace

std::optional<SufficientDeclaration> other_codes(const Kernel& kernel, const KernelRun& run, const Stop& stop) {
  const auto failure = std::ranges::find_if(run.failures, [](const Failure& each) {
    return each.property && each.property->of_codes && each.verdict.reason != "wrong-non-finite";
  });
  return failure == run.failures.end() ? std::nullopt : OtherCodes(kernel, *failure, stop).find();
}

}  // namespace attestone
