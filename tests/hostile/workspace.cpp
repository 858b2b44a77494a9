// SPDX-License-Identifier: Apache-2.0
// Kernels that misuse their workspace, or do harm when they are asked for its size.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// Follows a null pointer when it is asked for the size of its workspace.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace crashes_in_workspace {

int64_t attestone_workspace(const attestone_args*) {
  static volatile int* volatile nowhere = nullptr;
  return *nowhere;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace crashes_in_workspace

// Ends its process when it is asked for the size of its workspace.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
namespace exits_in_workspace {

int64_t attestone_workspace(const attestone_args*) { std::exit(0); }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace exits_in_workspace

// Hangs when it is asked for the size of its workspace.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace hangs_in_workspace {

int64_t attestone_workspace(const attestone_args*) {
  for (;;) pause();
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace hangs_in_workspace

// An exception crosses the interface when it is asked for the size of its workspace.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
namespace throws_in_workspace {

int64_t attestone_workspace(const attestone_args*) { throw 17; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace throws_in_workspace

// Expects its workspace to hold what the call before has left there: zeros, at first.
// expect: wrong-non-finite|depends-on-poison --property=value_bound 'shape=1x2x5x9x8'
namespace trusts_its_workspace {

int64_t attestone_workspace(const attestone_args*) { return 64; }

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status == ATTESTONE_OK && hostile::out_count(args) > 0)
    *hostile::out(args) += *static_cast<float*>(args->workspace);
  return status;
}

}  // namespace trusts_its_workspace

// Asks for a workspace of 3 GB, and uses all of it.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace wants_a_huge_workspace {

int64_t attestone_workspace(const attestone_args*) { return int64_t{3} << 30; }

int attestone_forward(const attestone_args* args) {
  std::memset(args->workspace, 1, static_cast<std::size_t>(args->workspace_bytes));
  return hostile::answer(args);
}

}  // namespace wants_a_huge_workspace

// Asks for a workspace of less than nothing.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
namespace wants_a_negative_workspace {

int64_t attestone_workspace(const attestone_args*) { return -1; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace wants_a_negative_workspace

// Asks for a workspace of 2^62 bytes, as an overflow of extents does.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace wants_an_impossible_workspace {

int64_t attestone_workspace(const attestone_args*) { return int64_t{1} << 62; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace wants_an_impossible_workspace

// Asks for a workspace whose size has no negation.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
namespace wants_the_most_negative_workspace {

int64_t attestone_workspace(const attestone_args*) { return INT64_MIN; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace wants_the_most_negative_workspace

// Asks for a workspace of 100 bytes and writes one more.
// expect: out-of-bounds-write --property=guards 'shape=1x2x5x9x8'
namespace writes_behind_its_workspace {

int64_t attestone_workspace(const attestone_args*) { return 100; }

int attestone_forward(const attestone_args* args) {
  static_cast<volatile char*>(args->workspace)[100] = 1;
  return hostile::answer(args);
}

}  // namespace writes_behind_its_workspace

// Asks for a workspace of 64 MB and fills it.
// expect: conforms --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace decoy_large_workspace {

int64_t attestone_workspace(const attestone_args*) { return 64 << 20; }

int attestone_forward(const attestone_args* args) {
  std::memset(args->workspace, 255, static_cast<std::size_t>(args->workspace_bytes));
  return hostile::answer(args);
}

}  // namespace decoy_large_workspace
