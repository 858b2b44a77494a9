// SPDX-License-Identifier: Apache-2.0
// Aligned arrays of doubles whose memory is kept for the next call: small problems would spend most of their time in
// page faults otherwise.
#pragma once

#include <memory>

#include "reference/shape.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// Hands an array back to the freeing thread's store, or to the system if that holds enough.
struct KeepScratch {
  void operator()(double* array) const;
};

/// Aligned to 128 bytes.
using AlignedDoubles = std::unique_ptr<double[], KeepScratch>;

AlignedDoubles uninitialised_doubles(index count);
AlignedDoubles zeroed_doubles(index count);

}  // namespace attestone
