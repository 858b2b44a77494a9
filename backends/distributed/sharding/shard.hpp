// SPDX-License-Identifier: Apache-2.0
// Which rows of the sequences of a batch a rank holds: by their numbers in the whole, which everything that depends on
// positions goes by.
#pragma once

#include <string_view>
#include <vector>

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Rows of each sequence of a batch, rising. In memory they lie behind each other, sequence by sequence.
class HeldRows {
 public:
  explicit HeldRows(std::vector<std::vector<index>> by_sequence);

  index sequences() const { return static_cast<index>(rows_.size()); }
  const std::vector<index>& of(index sequence) const { return rows_[static_cast<std::size_t>(sequence)]; }
  index count(index sequence) const { return static_cast<index>(of(sequence).size()); }
  /// The place of the first row of a sequence among all.
  index begin(index sequence) const { return begins_[static_cast<std::size_t>(sequence)]; }
  /// The number of rows of all sequences.
  index count() const { return begins_.back(); }

  bool operator==(const HeldRows&) const = default;

 private:
  std::vector<std::vector<index>> rows_;
  std::vector<index> begins_;  ///< [sequences + 1]
};

/// The first half of the rows of each sequence, or the second one, which has the odd row.
HeldRows half_of(const HeldRows&, bool second);

/// How the rows of a sequence are dealt to the places of a ring.
enum class Dealing {
  block,    ///< neighbouring rows
  zigzag,   ///< of 2 N chunks, the r-th and the r-th from the end: causal masks give everybody equal work
  striped,  ///< rows r, r + N, r + 2N, ...
};

/// By its name: "block" and so on.
Dealing dealing_of(std::string_view name);

/// All rows of a batch, dealt to ring x ulysses places: first to the ring, then what each has, in neighbouring runs, to
/// the places of its Ulysses group. Sizes that do not divide differ by one row at most; the first ones are larger.
class Shards {
 public:
  Shards(Dealing, const std::vector<index>& lengths, index ring, index ulysses);

  /// The rows of the whole Ulysses group at this place of the ring.
  const HeldRows& of_ring(index ring) const { return of_ring_[static_cast<std::size_t>(ring)]; }
  const HeldRows& of(index ring, index ulysses) const {
    return of_[static_cast<std::size_t>(ring * ulysses_ + ulysses)];
  }
  /// The rows of all places together.
  const HeldRows& all() const { return all_; }

 private:
  index ulysses_;
  std::vector<HeldRows> of_ring_, of_;
  HeldRows all_;
};

}  // namespace attestone::inline backends
