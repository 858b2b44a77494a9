// SPDX-License-Identifier: Apache-2.0
// Sizes, added up over places and sequences.
#include "tests/conformance/meshes/right_programs/sizes.hpp"

namespace attestone {

index Sizes::all_keys(index width) const {
  index all = 0;
  for (index place = 0; place < rank_.ring; ++place) all += keys(place, width);
  return all;
}

index Sizes::part_rows(index place) const {
  const HeldRows &queries = rank_.queries.of_ring(own()), &keys = rank_.keys.of_ring(at(place));
  index rows = 0;
  for (index sequence = 0; sequence < queries.sequences(); ++sequence)
    if (keys.count(sequence) > 0) rows += queries.count(sequence);
  return rows * heads_.query.count();
}

index Sizes::rows_with_keys() const {
  const HeldRows& queries = rank_.queries.of_ring(own());
  index rows = 0;
  for (index sequence = 0; sequence < queries.sequences(); ++sequence) {
    index keys = 0;
    for (index place = 0; place < rank_.ring; ++place) keys += rank_.keys.of_ring(place).count(sequence);
    if (keys > 0) rows += queries.count(sequence);
  }
  return rows * heads_.query.count();
}

}  // namespace attestone
