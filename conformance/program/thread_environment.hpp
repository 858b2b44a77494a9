// SPDX-License-Identifier: Apache-2.0
// What the environment says of OpenMP's threads, before OpenMP is loaded. Part of the program, not of the library.
#pragma once

#include <string>

namespace attestone::inline conformance {

/// What is wrong with OMP_NUM_THREADS, OMP_THREAD_LIMIT, OMP_STACKSIZE and the like, where OpenMP would crash, give up
/// or go on with something else; empty if nothing is. One message, as a user's mistake gets it.
/// An empty variable is unset: so it is meant.
std::string mistake_in_thread_environment();

/// OpenMP's threads sleep where they wait, unless the user chose how they do. To be called before OpenMP is loaded.
void let_threads_sleep();

}  // namespace attestone::inline conformance
