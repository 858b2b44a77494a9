// SPDX-License-Identifier: Apache-2.0
// What distributed methods of outside authors have in common: a name, axes, and answers that are merged divided.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/distributed/method/rank_program.hpp"
#include "tests/conformance/meshes/right_programs/on_paper.hpp"

namespace attestone {

/// A method without settings, whose parts are f32 where there are several places.
class RightProgram : public RankProgram {
 public:
  RightProgram(std::string_view name, std::vector<std::string_view> axes) : name_(name), axes_(std::move(axes)) {}

  std::string name() const override { return name_; }
  std::vector<std::string_view> axes() const override { return axes_; }
  Dealing dealing() const override { return Dealing::block; }
  index copies(const Shape&, index) const override { return 1; }
  Support supports(const Problem&, const Mesh&) const override { return {}; }
  Numerics numerics(const Problem&, const Mesh&, Numerics local) const override { return local; }
  const DType& part_format(const Problem& problem, const Mesh& mesh) const override {
    return mesh.devices("ring") == 1 ? problem.output : dtype("f32");
  }
  bool merges_partials(const Mesh&) const override { return false; }

 private:
  std::string name_;
  std::vector<std::string_view> axes_;
};

/// The numerics of f32 parts that are merged in this format, except the form of the merge. Elementary functions are
/// within 2 ulp of it.
Numerics merged_in(const DType&, const Problem&, index parts, Numerics local);
/// The numerics of a merge of the ring's places by form B, one after another.
Numerics merged_by_sigmoid(const DType&, const Problem&, const Mesh&, Numerics local);

}  // namespace attestone
