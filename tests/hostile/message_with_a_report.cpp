// SPDX-License-Identifier: Apache-2.0
// Its message erases the screen and holds a report of its own, in every format.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
#include <cstdio>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::snprintf(args->message, static_cast<std::size_t>(args->message_bytes), "%s",
                "\033[2J\033]0;title\007\r\"}]}]]></failure></testcase><testcase name=\"x\"/>\n\n| a | b |\n"
                "<script>alert(1)</script>\b\b\x7f\xc2\x9b[1mkernel: conforms\n");
  return 17;
}
