// SPDX-License-Identifier: Apache-2.0
// dbias as the backward hosts add it up: packed, in f32, and converted last.
#pragma once
#include "mutants/hosts/pipelines/problem.hpp"

namespace attestone::inline mutants::pipelines {

class BiasImage {
 public:
  explicit BiasImage(const Problem& problem) : p(problem) {
    if (!p.dbias) return;
    Index count = 1;
    for (int axis = 0; axis < 4; ++axis) count *= p.dbias.extent[axis];
    image = floats(count);
  }

  /// The sum to which a pair adds; axes of extent 1 are added up.
  float& at(const Sequence& s, Index h, Index i, Index j) {
    const Index* extent = p.dbias.extent;
    const Index at[] = {s.number, h, i, j};
    Index sum = 0;
    for (int axis = 0; axis < 4; ++axis) sum = sum * extent[axis] + (extent[axis] == 1 ? 0 : at[axis]);
    return image[place(sum)];
  }

  /// Writes dbias, as far as converts(query, key) says.
  template <class Converts>
  void convert(const Converts& converts) const {
    if (!p.dbias) return;
    const Index* n = p.dbias.extent;
    Index from = 0;
    for (Index b = 0; b < n[0]; ++b)
      for (Index h = 0; h < n[1]; ++h)
        for (Index i = 0; i < n[2]; ++i)
          for (Index j = 0; j < n[3]; ++j, ++from)
            if (converts(i, j)) p.dbias.store(p.dbias.offset(b, h, i, j), image[place(from)]);
  }

 private:
  const Problem& p;
  Buffer image;
};

}  // namespace attestone::inline mutants::pipelines
