// SPDX-License-Identifier: Apache-2.0
// The ring of diffusers in steps: of the problems that it takes, and with keys that do not change.
#pragma once

#include "mutants/hosts/mesh_steps.hpp"

namespace attestone::inline mutants {

/// Takes what `diffusers/ring` takes, and is right.
class DiffusersRing : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

  Support supports(const Problem& problem, const Mesh& mesh) const override {
    return make_rank_program("diffusers/ring")->supports(problem, mesh);
  }
};

/// Sends the keys that it began with at every step of the backward pass, and computes with them.
class KeysNeverChange : public DiffusersRing {
 public:
  using DiffusersRing::DiffusersRing;

 protected:
  KeysAndValues next_keys(const RingStep& step, KeysAndValues current, KeysAndValues next) const override {
    if (!step.backward) return MeshSteps::next_keys(step, std::move(current), std::move(next));
    next.release();
    return current;
  }
};

}  // namespace attestone::inline mutants
