// SPDX-License-Identifier: Apache-2.0
// What the environment says of OpenMP's threads, before OpenMP is loaded. Part of the program, not of the library.
#pragma once

#include <string>

namespace attestone::inline conformance {

/// The mistake in OMP_NUM_THREADS, OMP_THREAD_LIMIT, OMP_STACKSIZE and the like, on which OpenMP would crash, give up
/// or go on with another value; empty if there is none. The text is one message, like every mistake of a user. An empty
/// variable counts as unset.
std::string mistake_in_thread_environment();

/// Makes OpenMP's threads sleep while they wait, unless the user chose otherwise. Must be called before OpenMP is
/// loaded.
void let_threads_sleep();

}  // namespace attestone::inline conformance
