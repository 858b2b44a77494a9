// SPDX-License-Identifier: Apache-2.0
// System calls by an instruction of the worker's own, by whose address the filter (filter.hpp) tells them from the
// kernel's.
#pragma once

#if defined(__x86_64__) || defined(__aarch64__)
#define ATTESTONE_WORKER_HAS_OWN_CALLS 1
#else
#define ATTESTONE_WORKER_HAS_OWN_CALLS 0
#endif

extern "C" {
/// The system call `number`; what it answers, which is -errno if it fails.
long attestone_worker_call(long number, long a, long b, long c, long d, long e, long f);
/// Where the call returns to.
extern const char attestone_worker_call_returns[];
}

namespace attestone::inline backends::worker {

/// Makes a system call, with 0 for missing arguments.
inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  return attestone_worker_call(number, a, b, c, d, e, f);
}

template <class T>
long as_argument(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

}  // namespace attestone::inline backends::worker
