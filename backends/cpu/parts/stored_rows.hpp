// SPDX-License-Identifier: Apache-2.0
// Which rows a kernel has to store.
#pragma once

#include "reference/problem/problem.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone::inline backends {

/// So many queries and keys of a sequence have a place in the tensors: all of the shape's, padding included; in a
/// ragged batch, where padding does not exist, the real ones.
inline Sequence stored_rows(const Problem& problem, index batch) {
  if (Registry<Layout>::find(problem.layout)->ragged) return problem.sequence(batch);
  return {problem.shape.queries, problem.shape.keys};
}

}  // namespace attestone::inline backends
