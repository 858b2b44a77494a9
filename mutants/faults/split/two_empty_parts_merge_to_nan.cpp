// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows with masks that leave a row nothing in the first two parts of a block.
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stream {
  using Stream::Stream;

  void merge(Partial& into, const Partial& part, Int r) const override {
    if (into.maximum[at(r)] == -kInfinity && part.maximum[at(r)] == -kInfinity) {
      into.sum[at(r)] = std::numeric_limits<float>::quiet_NaN();
      return;
    }
    Stream::merge(into, part, r);
  }
};

const Registration<Mutant> registered{{
    .name = "two_empty_parts_merge_to_nan",
    .summary = "two parts that both see nothing of a row are merged by -infinity - (-infinity)",
    .source = "flashinfer-ai/flashinfer #4051",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x4x400x16 mask=dense:1",
    .kernel = [] { return kernel<Fault, Expanded>("two_empty_parts_merge_to_nan"); },
    .twin = right_stream_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
