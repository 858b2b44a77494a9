// SPDX-License-Identifier: Apache-2.0
// The picture that a mask's own file paints.
#pragma once

#include "tests/masks/pictures.hpp"

namespace attestone {

/// The picture of a mask by Mask::allows, pair by pair.
inline Picture reference_picture(const Mask& mask, const Paper& paper) {
  const auto& [size, batch, head, seed] = paper;
  Picture rows(static_cast<std::size_t>(size.queries));
  for (index query = 0; query < size.queries; ++query)
    for (index key = 0; key < size.keys; ++key)
      rows[static_cast<std::size_t>(query)] += mask.allows({size, {batch, head, query, key}, seed}) ? '#' : '.';
  return rows;
}

}  // namespace attestone
