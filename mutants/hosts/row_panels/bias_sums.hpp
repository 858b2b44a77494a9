// SPDX-License-Identifier: Apache-2.0
// The gradient of a bias for the row-panel and the split-KV host: summed in f32, and stored at the end.
#pragma once

#include "mutants/hosts/row_panels/call.hpp"

namespace attestone::inline mutants::row_panels {

class BiasSums {
 public:
  explicit BiasSums(const RowCall& call) : call_(call) {
    if (!call.dbias) return;
    Int elements = 1;
    for (int axis = 0; axis < 4; ++axis) elements *= extent_[axis] = call.dbias.extent[axis];
    sums_.assign(at(elements), 0.0f);
  }

  bool wanted() const { return !sums_.empty(); }
  bool repeats_over_batch() const { return extent_[0] == 1 && call_.a.batch > 1; }
  void clear() { std::fill(sums_.begin(), sums_.end(), 0.0f); }
  void add(const Sequence& s, Int h, Int i, Int j, float value) { sums_[place(s, h, i, j)] += value; }
  void store() const {
    if (!wanted()) return;
    std::size_t next = 0;
    for (Int b = 0; b < extent_[0]; ++b)
      for (Int h = 0; h < extent_[1]; ++h)
        for (Int i = 0; i < extent_[2]; ++i)
          for (Int j = 0; j < extent_[3]; ++j) call_.dbias.put(sums_[next++], b, h, i, j);
  }

 private:
  std::size_t place(const Sequence& s, Int h, Int i, Int j) const {
    const Int index[4] = {s.number, h, i, j};
    Int offset = 0;
    for (int axis = 0; axis < 4; ++axis) offset = offset * extent_[axis] + (extent_[axis] == 1 ? 0 : index[axis]);
    return at(offset);
  }

  const RowCall& call_;
  Int extent_[4] = {1, 1, 1, 1};
  Floats sums_;
};

}  // namespace attestone::inline mutants::row_panels
