// SPDX-License-Identifier: Apache-2.0
// Copying, adding and rounding elements.
#include "backends/distributed/messages/elements.hpp"

#include "backends/distributed/messages/rules.hpp"

namespace attestone::inline backends {

void copy(const ConstView& from, const View& to) {
  demand(from.dtype() == to.dtype() && from.extents() == to.extents(), "a copy has the extents of what it copies");
  for_each_element(from, [&](index batch, index head, index row, index channel) {
    to.set_code(batch, head, row, channel, from.code(batch, head, row, channel));
  });
}

/// A double has more than twice the bits of an f32, and more than any narrower format: what it holds of a sum of two
/// rounds as the sum itself would.
void add(const ConstView& what, const View& sum) {
  for_each_element(what, [&](index batch, index head, index row, index channel) {
    sum.set(batch, head, row, channel, sum.value(batch, head, row, channel) + what.value(batch, head, row, channel));
  });
}

void round_into(const ConstView& from, const View& to) {
  for_each_element(to, [&](index batch, index head, index row, index channel) {
    to.set(batch, head, row, channel, from.value(batch, head, row, channel));
  });
}

}  // namespace attestone::inline backends
