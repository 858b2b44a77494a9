// SPDX-License-Identifier: Apache-2.0
// From the sums of a tile to values, bounds and, where they are easy, roundings of its sixteen rows.
#pragma once

#include "reference/certified/forward/row_tile.hpp"
#include "reference/certified/numbers/bound.hpp"
#include "reference/certified/numbers/store_elements.hpp"
#include "reference/problem/problem.hpp"

namespace attestone {

/// Numbers [channels][16]; `rounded` is NaN where decide_quickly could not tell.
struct Answers {
  explicit Answers(index channels);
  QuickDecisions quick() const { return {value.get(), bound.get(), rounded.get()}; }
  AlignedDoubles value, bound, rounded;
};

/// The answers of one tile; those of rows that see nothing mean nothing. A value or a bound may be infinite or NaN.
struct TileAnswers {
  explicit TileAnswers(index channels) : out(channels), log_sum_exp(1) {}
  Answers out, log_sum_exp;
};

using TileCertificates = std::array<RowCertificate, rows_per_tile>;

void answer_tile(const Problem&, const TileSums&, const TileCertificates&, index channels, TileAnswers&);

}  // namespace attestone
