// SPDX-License-Identifier: Apache-2.0
// Kernels that crash while they are called: signals, exceptions that cross the interface, stacks that end.
#include <cstdlib>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>

#include "tests/hostile/honest.hpp"

namespace {

/// Recursion without an end.
int deeper(const attestone_args* args, int depth) {
  if (args->heads == depth + 3) return 0;  // never: compilers warn of what they see
  volatile char page[4096] = {};
  page[depth % 4096] = 1;
  return deeper(args, depth + 1) + page[0];
}

}  // namespace

// An assertion that does not hold.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace aborts {

int attestone_forward(const attestone_args*) { std::abort(); }

}  // namespace aborts

// Writes to an address that is nobody's.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace crashes {

int attestone_forward(const attestone_args* args) {
  *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(args->dim)) = 1;
  return ATTESTONE_OK;
}

}  // namespace crashes

// A thread divides by zero while the call runs.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace divides_by_zero_in_a_thread {

int attestone_forward(const attestone_args* args) {
  volatile int tiles = 0;
  std::thread([&tiles] { tiles = 100 / tiles; }).join();
  return hostile::answer(args);
}

}  // namespace divides_by_zero_in_a_thread

// Recursion that goes too deep: there is no stack left for the handler of the signal.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace overflows_the_stack {

int attestone_forward(const attestone_args* args) { return deeper(args, 0); }

}  // namespace overflows_the_stack

// Recursion in a thread that goes deeper than the thread's stack.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace overflows_the_stack_of_a_thread {

int attestone_forward(const attestone_args* args) {
  int status = 0;
  std::thread([&] { status = deeper(args, 0); }).join();
  return status;
}

}  // namespace overflows_the_stack_of_a_thread

// An exception crosses the interface.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace throws {

int attestone_forward(const attestone_args*) { throw std::runtime_error("no such tile"); }

}  // namespace throws

// What crosses the interface is no std::exception.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace throws_an_int {

int attestone_forward(const attestone_args*) { throw 17; }

}  // namespace throws_an_int

// An exception that nobody catches ends a thread, and so the process.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace throws_in_a_thread {

int attestone_forward(const attestone_args* args) {
  std::thread([] { throw 17; }).join();
  return hostile::answer(args);
}

}  // namespace throws_in_a_thread

// An exception crosses the interface, and an object on its way throws another one.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace throws_while_unwinding {

namespace {

struct Thrower {
  ~Thrower() noexcept(false) { throw 2; }
};

}  // namespace

int attestone_forward(const attestone_args*) {
  const Thrower thrower;
  throw 1;
}

}  // namespace throws_while_unwinding

// Reads behind the end of a file that it has mapped: a bus error of its own making.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace touches_a_truncated_file {

int attestone_forward(const attestone_args* args) {
  void* const file = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, memfd_create("empty", 0), 0);
  static_cast<void>(*static_cast<volatile char*>(file));
  return hostile::answer(args);
}

}  // namespace touches_a_truncated_file

// Throws on its way, and catches all of it.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_catches_its_exceptions {

int attestone_forward(const attestone_args* args) {
  try {
    throw std::runtime_error("no fast path");
  } catch (const std::exception&) {
    return hostile::answer(args);
  }
}

}  // namespace decoy_catches_its_exceptions
