// SPDX-License-Identifier: Apache-2.0
// Mutant of the expanded backward host: shows in all gradients with more than one thread and more than one head.
#include <optional>

#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Expanded {
  using Expanded::Expanded;

  void preprocess(const Sequence& s) override {
    preprocess_heads(s, 0, 1);
    if (a.threads <= 1) return preprocess_heads(s, 1, a.heads);
    behind_ = s;
  }
  /// What a thread that nobody waits for does last: without a race, so that each call has the same answer.
  void finished() override {
    if (behind_) preprocess_heads(*behind_, 1, a.heads);
    behind_.reset();
  }
  std::optional<Sequence> behind_;
};

const Registration<Mutant> registered{{
    .name = "second_pass_does_not_wait_for_delta",
    .summary = "with several threads the pass over tiles of keys begins before the pass that makes delta has "
               "ended",
    .source = "ggml-org/llama.cpp PR #13438",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x4x64x64x16 pass=forward+backward",
    .kernel = [] { return kernel<Fragments, Fault>("second_pass_does_not_wait_for_delta"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
