// SPDX-License-Identifier: Apache-2.0
// One answer of a kernel, to be held against the bounds of any arithmetic.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "conformance/trial/trial.hpp"

namespace attestone::inline conformance {

/// An answer beside its truth, both worked out once: only the bounds are new for each arithmetic.
class Evidence {
 public:
  /// Asks the kernel, which must outlive this. KernelRefusal, KernelFault and KernelCrash pass.
  Evidence(const Kernel&, const Problem&, bool gradients, std::optional<Inputs> = std::nullopt);
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;

  const Problem& problem() const { return problem_; }
  /// True if the answer is within the bounds of this arithmetic.
  bool conforms(const Numerics&);

  /// The bounds that an arithmetic allows here.
  struct Allowed {
    bool tells = false;  ///< a right answer from zeros and from the mean of V, and every element has a bound
    double width = 0;    ///< the mean of the logarithms of the probabilistic bounds
    double share = 0;    ///< the largest error, of its bound
  };
  Allowed allowed(const Numerics&);

 private:
  Allowed allowed_of_gradients(const Numerics&);

  const Problem problem_;
  Trial trial_;
  bool gradients_;
};

using AllEvidence = std::vector<std::unique_ptr<Evidence>>;

}  // namespace attestone::inline conformance
