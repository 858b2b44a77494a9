// SPDX-License-Identifier: Apache-2.0
// Methods that fill up a sequence with keys of zeros until its devices divide it, and mask none of them.
#pragma once

#include "mutants/hosts/mesh_steps.hpp"

namespace attestone::inline mutants {

/// Each key of zeros has score 0 and value 0.
class WeighingPadding final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void answered(const Rank&, RankAnswer&) const override;
};

}  // namespace attestone::inline mutants
