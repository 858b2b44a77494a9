// SPDX-License-Identifier: Apache-2.0
// Traces of a call that has returned: processes, and threads that go on working.
#pragma once

#include <functional>
#include <sys/types.h>
#include <vector>

namespace attestone::inline backends {

/// Waits so many milliseconds, and looks meanwhile for whatever else may happen.
using Waiting = std::function<void(int milliseconds)>;

/// True if a process below `ancestor` lives that `known` does not hold and that does not end at once.
bool leaves_process(pid_t ancestor, const std::vector<pid_t>& known, const Waiting&);

/// True if threads other than the process's first still compute, even with naps, after the time that
/// pools need to fall asleep. A `thorough` look takes some hundredths of a second wherever there are other threads, and
/// sees those that nap; the other one takes a thousandth.
bool leaves_thread(pid_t process, bool thorough, const Waiting&);

}  // namespace attestone::inline backends
