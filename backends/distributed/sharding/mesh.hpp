// SPDX-License-Identifier: Apache-2.0
// Devices along named axes: "ulysses:2+ring:3", the first axis innermost.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/distributed/messages/communicator.hpp"
#include "reference/scanner.hpp"

namespace attestone::inline backends {

/// A kind of mesh axis, and what lies along it.
struct MeshAxisWord {
  std::string_view name, summary;
};
std::span<const MeshAxisWord> mesh_axes();

/// How many devices lie along an axis.
struct MeshAxis {
  std::string name;
  index devices = 1;

  bool operator==(const MeshAxis&) const = default;
};

/// Ranks 0, 1, ... are neighbours along the first axis; an axis that is not there has one device.
class Mesh {
 public:
  explicit Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {}

  const std::vector<MeshAxis>& axes() const { return axes_; }
  index devices() const;
  index devices(std::string_view axis) const;
  /// Where a rank stands along an axis.
  index place(index rank, std::string_view axis) const;
  /// The ranks that differ from this one along the axis only.
  Group group(index rank, std::string_view axis) const;

  /// Places to which the rows of a sequence are dealt before any Ulysses group has them: along `ring`, or along `inner`
  /// and `outer`, ring by ring.
  index places() const { return devices("ring") * devices("inner") * devices("outer"); }
  index place_of(index rank) const;
  /// The ranks at all these places, in their order, as one ring.
  Group ring(index rank) const;

  std::string text() const;
  bool operator==(const Mesh&) const = default;

 private:
  std::vector<MeshAxis> axes_;
};

/// Meshes of the same axes with fewer devices, the fewest first: 1, 2, 3, half or one less of some axes.
std::vector<Mesh> smaller(const Mesh&);

/// axis:n+axis:n. UserError with a caret otherwise.
Mesh read_mesh(Scanner&);

}  // namespace attestone::inline backends
