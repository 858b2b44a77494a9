// SPDX-License-Identifier: Apache-2.0
// A constructor throws: there is nobody above it who could catch that.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
#include <stdexcept>

#include "tests/hostile/honest.hpp"

namespace {

const int ready = [] {
  const char* volatile device = "";
  return *device ? 0 : throw std::runtime_error("no device");
}();

}  // namespace

int attestone_forward(const attestone_args* args) { return ready + hostile::answer(args); }
