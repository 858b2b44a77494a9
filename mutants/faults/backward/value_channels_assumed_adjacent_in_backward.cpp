// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows in dQ, dK and delta where V's channels lie apart: layout=transposed,
// bhsd+value/transposed.
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/persistent.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : TwoPassPolicy {
  static float value_channel(const Problem& p, Index row, Index c) { return p.value.load(row + c); }
};

const Registration<Mutant> registered{{
    .name = "value_channels_assumed_adjacent_in_backward",
    .summary = "the backward pass reads V with its strides of batch, head and row, and channels one behind the other",
    .source = "pytorch/pytorch PR #187506",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x24x16 layout=transposed pass=forward+backward",
    .kernel =
        [] {
          return kernel<Persistent<PersistentPolicy>, TwoPassBackward<Fault>>(
              "value_channels_assumed_adjacent_in_backward");
        },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
