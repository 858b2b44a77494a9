// SPDX-License-Identifier: Apache-2.0
// Mutant of the expanded backward host: shows in all gradients with window:l:r and r above 0 where queries lie in a
// tile of 32 before.
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Expanded {
  using Expanded::Expanded;

  Range rows_of(const Sequence& s, Int j0, Int j1) const override {
    Range r = Expanded::rows_of(s, j0, j1);
    if (banded() && a.causal == 0 && a.window_right > 0) r.begin = std::clamp<Int>(j0 - s.shift, r.begin, s.queries);
    return r;
  }
};

const Registration<Mutant> registered{{
    .name = "queries_left_of_window_skipped",
    .summary = "the queries that a tile of keys meets begin at the position of its first key, whatever lies "
               "to the right in a window",
    .source = "flashinfer-ai/flashinfer #4893",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x96x96x16 mask=window:8:40 pass=forward+backward",
    .kernel = [] { return kernel<Stream, Fault>("queries_left_of_window_skipped"); },
    .twin = right_stream_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
