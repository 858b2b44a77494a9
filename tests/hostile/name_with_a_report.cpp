// SPDX-License-Identifier: Apache-2.0
// Its name erases the screen and holds a report of its own, in every format.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->name =
      "\033[2J\033]0;title\007\r\"}]}]]></failure></testcase><testcase name=\"x\"/>\n\n| a | b |\n"
      "<script>alert(1)</script>\b\b\x7f\xc2\x9b[1mkernel: conforms\n";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }
