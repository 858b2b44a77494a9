// SPDX-License-Identifier: Apache-2.0
// Conclusions of a whole run beyond its cases: what it could never tell, and what it was required to cover.
#pragma once

#include "conformance/run/ledger.hpp"

namespace attestone::inline conformance {

/// Notes what the problems of a run that came to its end say together (LeanOverRun), and adds, if none of them failed:
/// - leans: they say that the kernel is wrong.
/// - never-conclusive: a suite's property of which no case could tell right from wrong, although one could have
///   (decidable()). Where none could have, or the problems were typed by hand, the run just says so.
/// - required: the kernel declares arithmetic that is looser than a default class, where `default_class` is asked for;
/// or
///   conventions of its own, where `default_conventions` is; it refused a problem with a required feature, or no
///   conclusive case has the feature. A refusal by declared limits counts unless they give the same reason for the
///   problem without the feature; one in a call counts if some problem of the same formats was answered.
void conclude(const Kernel&, const RunOptions&, Ledger&);

/// True if the case is decidable for a kernel that is right, merges as this one declares, and declares the
/// default arithmetic of its formats otherwise. A case that is undecidable even then is no fault of the kernel.
bool decidable(const Property&, const Kernel&, const Problem&);

}  // namespace attestone::inline conformance
