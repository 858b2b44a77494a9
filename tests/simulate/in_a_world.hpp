// SPDX-License-Identifier: Apache-2.0
// What tests of worlds have in common: groups of all ranks, tensors of numbers, and faults by their reason.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

#include "backends/distributed/messages/collectives.hpp"
#include "simulate/world/world.hpp"
#include "tests/contains.hpp"

namespace attestone {

/// All ranks of the world, as one of them sees it.
inline Group everybody(const World& world, index rank, std::string name = "ring") {
  Group group;
  group.name = std::move(name);
  group.members.resize(static_cast<std::size_t>(world.size()));
  std::iota(group.members.begin(), group.members.end(), index{0});
  group.place = rank;
  return group;
}

inline WorldSettings settings(index ranks, std::uint64_t seed = 0) {
  WorldSettings all;
  all.ranks = ranks;
  all.seed = seed;
  return all;
}

/// Faults; what their arguments leave out is the first of its kind.
inline Faults faulty(const WorldSettings& settings, const std::vector<FaultCall>& calls) {
  return make_faults(calls, Census::of(settings.ranks), settings.seed);
}

/// A tensor of one row, and its numbers.
inline Tensor row(index count, double value = 0, const char* format = "f32") {
  Tensor tensor(dtype(format), Extents{1, 1, 1, count});
  for (index i = 0; i < count; ++i) tensor.view().set(0, 0, 0, i, value);
  return tensor;
}
inline double first(const Tensor& tensor) { return tensor.view().value(0, 0, 0, 0); }

inline std::vector<ConstView> sent(std::initializer_list<const Tensor*> tensors) {
  std::vector<ConstView> all;
  for (const Tensor* tensor : tensors) all.push_back(tensor->view());
  return all;
}
inline std::vector<View> taken(std::initializer_list<Tensor*> tensors) {
  std::vector<View> all;
  for (Tensor* tensor : tensors) all.push_back(tensor->view());
  return all;
}

/// How a run went wrong: "reason: text", or "nothing".
inline std::string fault_of(World& world, const World::Program& program) {
  try {
    world.run(program);
  } catch (const KernelFault& fault) {
    return fault.reason() + ": " + fault.what();
  }
  return "nothing";
}

}  // namespace attestone
