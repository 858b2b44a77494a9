// SPDX-License-Identifier: Apache-2.0
// Kernels whose description is wrong, or that do harm when they are asked for it.
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// An assertion fails when it is asked what it is.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: signal 6
namespace aborts_in_describe {

int attestone_describe(attestone_description*) { std::abort(); }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace aborts_in_describe

// Points to a name that is not there.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: signal 11
namespace describes_from_nowhere {

int attestone_describe(attestone_description* description) {
  description->name = reinterpret_cast<const char*>(static_cast<uintptr_t>(description->size));
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace describes_from_nowhere

// Answers that something went wrong when it is asked what it is.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace fails_in_describe {

int attestone_describe(attestone_description*) { return 17; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace fails_in_describe

// Waits for ever when it is asked what it is.
// expect: usage --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
// says: within 1 s
namespace hangs_in_describe {

int attestone_describe(attestone_description*) {
  for (;;) pause();
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace hangs_in_describe

// An exception crosses the interface when it is asked what it is.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace throws_in_describe {

int attestone_describe(attestone_description*) { throw 17; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace throws_in_describe

// Says of the same limit two things.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace contradicts_itself {

int attestone_describe(attestone_description* description) {
  description->limits = "max_keys=4 max_keys=64";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace contradicts_itself

// Says in 5 KB what it takes, and the last words count: four keys at most. It crashes on more.
// expect: refused|usage --property=value_bound 'shape=1x2x5x9x8'
namespace long_limits {

int attestone_describe(attestone_description* description) {
  static const std::string limits = "dtypes=f32" + std::string(5'000, ' ') + "max_keys=4";
  description->limits = limits.c_str();
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return args->keys > 4 ? std::abort(), 2 : hostile::answer(args); }

}  // namespace long_limits

// Says that it takes at most minus three keys.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace takes_less_than_nothing {

int attestone_describe(attestone_description* description) {
  description->limits = "max_keys=-3";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace takes_less_than_nothing

// Says that it takes at most 10^30 keys.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace takes_more_than_all {

int attestone_describe(attestone_description* description) {
  description->limits = "max_keys=1000000000000000000000000000000";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace takes_more_than_all

// Says that it takes no format at all.
// expect: refused --property=value_bound 'shape=1x2x5x9x8'
namespace takes_nothing {

int attestone_describe(attestone_description* description) {
  description->limits = "dtypes=";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace takes_nothing

// Declares an error of the exponential of 10^300 times the exponential.
// expect: usage|refused --property=value_bound 'shape=1x2x5x9x8'
namespace declares_huge_roundoff {

int attestone_describe(attestone_description* description) {
  description->numerics = "exp_error=1e300";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }

}  // namespace declares_huge_roundoff

// Declares that whatever it answers is rounded so.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace declares_infinite_roundoff {

int attestone_describe(attestone_description* description) {
  description->numerics = "output_roundoff=inf";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }

}  // namespace declares_infinite_roundoff

// Declares a roundoff below 0.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace declares_negative_roundoff {

int attestone_describe(attestone_description* description) {
  description->numerics = "output_roundoff=-0x1p-9";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace declares_negative_roundoff

// Declares a roundoff that compares with nothing.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace declares_no_number {

int attestone_describe(attestone_description* description) {
  description->numerics = "output_roundoff=nan";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }

}  // namespace declares_no_number

// Declares a field of arithmetic that there is not.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace declares_what_there_is_not {

int attestone_describe(attestone_description* description) {
  description->numerics = "forgiveness=1";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace declares_what_there_is_not
