// SPDX-License-Identifier: Apache-2.0
// Half of the exponents that MPFR has: its own intermediate results may need the others.
#include "reference/certified/numbers/certified_environment.hpp"

#include "reference/certified/numbers/mpfr.hpp"

namespace attestone {
namespace {

/// Gives back, at the end of a thread, the constants and the spare numbers that MPFR has kept for it.
struct KeptByMpfr {
  ~KeptByMpfr() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

}  // namespace

CertifiedEnvironment::CertifiedEnvironment()
    : least_exponent_(mpfr_get_emin()), largest_exponent_(mpfr_get_emax()), flags_(mpfr_flags_save()) {
  [[maybe_unused]] thread_local const KeptByMpfr kept;
  mpfr_set_emin(mpfr_get_emin_min() / 2);
  mpfr_set_emax(mpfr_get_emax_max() / 2);
}

CertifiedEnvironment::~CertifiedEnvironment() {
  mpfr_set_emin(least_exponent_);
  mpfr_set_emax(largest_exponent_);
  mpfr_flags_restore(flags_, MPFR_FLAGS_ALL);
}

}  // namespace attestone
