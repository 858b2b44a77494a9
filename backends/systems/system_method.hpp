// SPDX-License-Identifier: Apache-2.0
// A distributed backend of another system, as that system defines it: which of our methods it is, and what it refuses.
#pragma once

#include <vector>

#include "backends/distributed/method/rank_program.hpp"
#include "backends/systems/limit.hpp"

namespace attestone::inline backends {

/// A name of another system: "diffusers/ring". What the system does wrong is no part of it, but a mutant
/// ("diffusers/ring/as_published").
struct SystemMethod {
  std::string_view name;     ///< qualified by the system
  std::string_view ours;     ///< what it computes: "ring:hops=all"
  std::string_view summary;  ///< in one line
  std::vector<Limit> limits;
  std::vector<std::string> meshes;  ///< on which it is judged where nobody names another
  std::string local = "flash";      ///< what its devices run where nobody names another kernel
};

/// Makes the methods of a system known, each under its name: they do as ours do, within the limits of the system.
class RegisteredSystem {
 public:
  explicit RegisteredSystem(const std::vector<SystemMethod>&);
};

}  // namespace attestone::inline backends
