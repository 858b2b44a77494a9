// SPDX-License-Identifier: Apache-2.0
// Wrong program: kv heads are copied one after the other, all of them again and again, where the queries read
// neighbouring copies.
// Source: bugs.md N11 (verl #1226). Wrong on: ulysses with kv=copied, two or more kv heads, more members than kv
// heads.
// Wrong answer: ulysses:4 shape=1x4/2x4x4x8, with kv=copied
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class CopiesTiled final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_13_ulysses_copies_tiled";
  using ChangedSteps::ChangedSteps;

 protected:
  index kv_head(const Rank& rank, index copy) const override { return copy % rank.attention.whole().shape.kv_heads; }
};

const Registration<RankProgramEntry> registered{
    ulysses_entry<CopiesTiled>("copies kv heads as tiles, h % kv_heads, in the forward pass")};

}  // namespace
}  // namespace attestone
