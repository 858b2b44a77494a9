// SPDX-License-Identifier: Apache-2.0
// The second definition of every mask: pictures, painted row by row, that share no formula with reference/masks/.
#pragma once

#include <string>
#include <vector>

#include "reference/masks/mask.hpp"

namespace attestone {

/// One string per query, one character per key: '#' is visible, '.' is hidden.
using Picture = std::vector<std::string>;

/// The paper of a picture: one head of one sequence, and the seed that drawn masks follow.
struct Paper {
  Sequence size;
  index batch = 0, head = 0;
  std::uint64_t seed = 1;
};

/// The picture of a mask over one head of one sequence.
Picture picture(const Mask&, const Paper&);

/// The picture in the frame of a padded batch: everything outside the sequence is hidden, whatever the mask.
Picture padded(const Picture&, const Sequence& frame);

}  // namespace attestone
