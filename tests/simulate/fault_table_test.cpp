// SPDX-License-Identifier: Apache-2.0
// Every fault, at several places of both passes of every method: named as it should be, or the same bits.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "reference/registry.hpp"
#include "tests/effort.hpp"
#include "tests/simulate/mesh_in_a_world.hpp"
#include "tests/simulate/method_on_meshes.hpp"

namespace attestone {
namespace {

/// The reason given for a fault that happened; "none": no reason is given, and the bits are the same.
const std::map<std::string, std::string> expected_reason{{"straggler", "none"},
                                                         {"delay", "none"},
                                                         {"reorder", "none"},
                                                         {"drop", "lost-message"},
                                                         {"duplicate", "duplicate-message"},
                                                         {"corrupt", "corrupted-message"},
                                                         {"dead_rank", "dead-rank"},
                                                         {"mismatched_collective", "mismatched-message"}};

/// At the beginning, in the middle and at the end of what the fault counts.
std::vector<std::vector<std::string>> places(const std::string& fault, index ranks, index messages) {
  const auto text = [](index number) { return fmt::format("{}", number); };
  std::vector<std::vector<std::string>> all;
  if (fault == "drop" || fault == "duplicate" || fault == "corrupt") {
    for (const index number : {index{0}, index{1}, messages / 2, messages - 1}) all.push_back({text(number)});
  } else if (fault == "delay") {
    all = {{"2"}, {"64"}};
  } else if (fault == "reorder") {
    all = {{}};
  } else {
    const std::vector<std::string> counts = fault == "straggler"   ? std::vector<std::string>{"2", "64"}
                                            : fault == "dead_rank" ? std::vector<std::string>{"0", "1", "3", "7"}
                                                                   : std::vector<std::string>{"0", "1", "2", "5"};
    for (const index rank : {index{0}, ranks / 2, ranks - 1})
      for (const std::string& count : counts) all.push_back({text(rank), count});
  }
  return all;
}

struct Counts {
  index named = 0, same_bits = 0, never_happened = 0;
};

index call_sites(const std::string& text) {
  index count = 0;
  for (std::size_t at = text.find(".cpp:"); at != std::string::npos; at = text.find(".cpp:", at + 1)) ++count;
  return count;
}

class FaultTable {
 public:
  /// One pass with one fault, beside what it is without.
  void enter(const MethodOnMesh& method, const Problem& problem, const FaultCall& fault, std::uint64_t seed,
             const PassInAWorld& right, const PassInAWorld& pass, bool backward) {
    const std::string& reason = pass.happened > 0 ? expected_reason.at(fault.name) : none_;
    Counts& counts = counts_[fault.name];
    ++(pass.happened == 0 ? counts.never_happened : pass.reason == "none" ? counts.same_bits : counts.named);
    EXPECT_EQ(pass.reason, reason) << line(method, problem, fault, seed, backward) << "\n" << pass.said;
    if (fault.name == "mismatched_collective" && pass.happened > 0) {
      EXPECT_EQ(call_sites(pass.said), 2) << "which calls? " << pass.said;
    }
    if (pass.reason == "none") {
      EXPECT_TRUE(pass.codes == right.codes) << "other bits: " << line(method, problem, fault, seed, backward);
    }
  }
  /// The counts of one method; every fault must have happened to it.
  void finish(const MethodOnMesh& method) {
    fmt::print("{} on {}\n", method.program, method.mesh);
    for (const auto& [fault, counts] : counts_) {
      EXPECT_GT(counts.named + counts.same_bits, 0) << fault << " never happened to " << method.program;
      fmt::print("  {:<24}{:>5} named {:<20}{:>5} the same bits{:>5} never happened\n", fault, counts.named,
                 counts.named > 0 ? expected_reason.at(fault) : "", counts.same_bits, counts.never_happened);
    }
    EXPECT_EQ(counts_.size(), Registry<FaultRule>::all().size());
    counts_.clear();
  }

 private:
  static std::string line(const MethodOnMesh& method, const Problem& problem, const FaultCall& fault,
                          std::uint64_t seed, bool backward) {
    return fmt::format("{}: attestone run --kernel='{}' --mesh={} --faults={}{}{} --world-seed={} '{}'",
                       backward ? "backward" : "forward", method.program, method.mesh, fault.name,
                       fault.arguments.empty() ? "" : ":", fmt::join(fault.arguments, ":"), seed, problem.text());
  }

  const std::string none_ = "none";
  std::map<std::string, Counts> counts_;
};

// slow: runs every method with every fault
TEST(FaultTable, NamesEveryFaultOrTheBitsAreTheSame) {
  FaultTable table;
  for (const MethodOnMesh& method : methods_on_meshes()) {
    RandomCall call(carried_by(method, "mask=causal dtype=bf16"));
    const MeshInAWorld mesh(method.program, method.mesh, call);
    for (const bool backward : passes_of(method)) {
      const PassInAWorld right = mesh.pass(false, 0);
      ASSERT_EQ(right.reason, "none") << right.said;
      const PassInAWorld one = backward ? mesh.pass(true, 0) : right;
      ASSERT_EQ(one.reason, "none") << one.said;
      for (const auto& [name, rule] : Registry<FaultRule>::all())
        for (const auto& arguments : places(name, mesh_of(method.mesh).devices(), one.messages))
          for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(1, 20)); ++seed) {
            const FaultCall fault{name, arguments};
            table.enter(method, call.problem, fault, seed, one, mesh.pass(backward, seed, {fault}), backward);
          }
    }
    table.finish(method);
  }
}

/// A checksum that is wrong as well is beyond every world: another bit arrives, and is for the properties to see.
// slow: runs every method with every fault
TEST(FaultTable, ABitThatNoChecksumShowsArrives) {
  for (const MethodOnMesh& method : methods_on_meshes()) {
    RandomCall call(carried_by(method, "mask=causal"));
    const MeshInAWorld mesh(method.program, method.mesh, call);
    index happened = 0, changed = 0;
    for (const bool backward : passes_of(method)) {
      const PassInAWorld forward = mesh.pass(false, 0);
      const PassInAWorld right = backward ? mesh.pass(true, 0) : forward;
      const index step = std::clamp<index>(right.messages / fewer_if_sanitized(20), 1, effort(7, 1));
      for (index number = 0; number < right.messages; number += step) {
        const PassInAWorld wrong = mesh.pass(backward, 0, {{"corrupt", {fmt::format("{}", number), "silent"}}});
        EXPECT_EQ(wrong.reason, "none") << wrong.said;
        happened += wrong.happened, changed += wrong.codes != right.codes;
      }
    }
    EXPECT_GT(changed, 0) << method.program;
    fmt::print("{:<58}{:<26}{:>4} bits changed on the way, {:>4} seen in the answer\n", method.program, method.mesh,
               happened, changed);
  }
}

}  // namespace
}  // namespace attestone
