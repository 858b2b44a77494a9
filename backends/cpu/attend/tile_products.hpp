// SPDX-License-Identifier: Apache-2.0
// The two products of a tile of attention, and how queries and keys are held for them.
#pragma once

#include <memory>

#include "backends/cpu/attend/head.hpp"
#include "backends/cpu/attend/seen_products.hpp"

namespace attestone::inline backends {

struct AttendExtents;
struct AttendScratch;

/// Chosen once a call: as floats, or as pairs of bf16.
class TileProducts {
 public:
  virtual ~TileProducts() = default;

  /// Queries become panel `number` of the scratch.
  virtual void load_queries(const AttendedHead&, Interval queries, index number, AttendScratch&) const = 0;
  /// Keys and values become those that pass.
  virtual void load_keys(const AttendedHead&, Interval keys, AttendScratch&) const = 0;
  /// The scores S [keys][32] of the scratch = factor K Q^T, for one panel and some of the keys that pass; and
  /// largest[32] = max(largest, columns of S).
  virtual void score(index panel, Interval keys, float factor, float* largest, AttendScratch&) const = 0;
  /// O^T = shrink[32] O^T + V^T P, with P = S of the scratch, rounded to the format of the inputs. What is not seen
  /// adds nothing, NaN and infinities included; null: all is seen.
  virtual void add_weighted(Interval keys, const SeenPairs*, const float* shrink, float* OT, AttendScratch&) const = 0;
};

/// The products that the extents name.
std::unique_ptr<const TileProducts> tile_products(const Problem&, const KernelInputs&, const AttendExtents&);
/// The two that there are.
std::unique_ptr<const TileProducts> float_products(const Problem&, const KernelInputs&);
std::unique_ptr<const TileProducts> pair_products(const Problem&, const KernelInputs&, PairProducts);

}  // namespace attestone::inline backends
