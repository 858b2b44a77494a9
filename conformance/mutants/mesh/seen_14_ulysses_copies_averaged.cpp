// SPDX-License-Identifier: Apache-2.0
// Wrong program: gradients of copies of a kv head are averaged where they must be added up.
// Source: bugs.md N11 (prime-rl PR #3042). Wrong on: ulysses with kv=copied where heads are copied, backward pass.
// Wrong answer: ulysses:2 shape=1x2/1x4x4x8 pass=forward+backward, with kv=copied
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class CopiesAveraged final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_14_ulysses_copies_averaged";
  using ChangedSteps::ChangedSteps;

 protected:
  double share_of_copies(const Rank& rank) const override { return 1.0 / static_cast<double>(rank.heads.copies()); }
};

const Registration<RankProgramEntry> registered{
    ulysses_entry<CopiesAveraged>("dK and dV are the mean over the copies of a head")};

}  // namespace
}  // namespace attestone
