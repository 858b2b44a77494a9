// SPDX-License-Identifier: Apache-2.0
// Element by element, wherever both tensors lie: what ranks do with parts of the same extents.
#pragma once

#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {

/// to = from, of one format: the same bits.
void copy(const ConstView& from, const View& to);

/// sum += what, rounded once.
void add(const ConstView& what, const View& sum);

/// to = from, each rounded once to the format of `to`.
void round_into(const ConstView& from, const View& to);

}  // namespace attestone::inline backends
