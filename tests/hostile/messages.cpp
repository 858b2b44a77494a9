// SPDX-License-Identifier: Apache-2.0
// Kernels whose names and messages do harm to who prints them.
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/hostile/honest.hpp"

// Writes a message of a megabyte into a place for a few hundred bytes.
// expect: out-of-bounds-write|crashed --property=value_bound 'shape=1x2x5x9x8'
namespace message_behind_its_place {

int attestone_forward(const attestone_args* args) {
  std::memset(args->message, 'x', 1 << 20);
  return 17;
}

}  // namespace message_behind_its_place

// Its message is no UTF-8.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
namespace message_of_no_text {

int attestone_forward(const attestone_args* args) {
  std::snprintf(args->message, static_cast<std::size_t>(args->message_bytes), "%s", "\xff\xfe tile \xc3 \xed\xa0\x80");
  return 17;
}

}  // namespace message_of_no_text

// Its message erases the screen and holds a report of its own, in every format.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
namespace message_with_a_report {

int attestone_forward(const attestone_args* args) {
  std::snprintf(args->message, static_cast<std::size_t>(args->message_bytes), "%s",
                "\033[2J\033]0;title\007\r\"}]}]]></failure></testcase><testcase name=\"x\"/>\n\n| a | b |\n"
                "<script>alert(1)</script>\b\b\x7f\xc2\x9b[1mkernel: conforms\n");
  return 17;
}

}  // namespace message_with_a_report

// Fills the whole place for its message, without a final 0.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
namespace message_without_end {

int attestone_forward(const attestone_args* args) {
  std::memset(args->message, 'x', static_cast<std::size_t>(args->message_bytes));
  return 17;
}

}  // namespace message_without_end

// Its name has a million letters.
// expect: wrong-number|usage --property=value_bound 'shape=1x2x5x9x8'
namespace name_of_a_megabyte {

int attestone_describe(attestone_description* description) {
  static const std::string name(1'000'000, 'x');
  description->name = name.c_str();
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }

}  // namespace name_of_a_megabyte

// Its name is no UTF-8.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace name_of_no_text {

int attestone_describe(attestone_description* description) {
  description->name = "\xff\xfe tile \xc3 \xed\xa0\x80";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }

}  // namespace name_of_no_text

// Its name erases the screen and holds a report of its own, in every format.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace name_with_a_report {

int attestone_describe(attestone_description* description) {
  description->name =
      "\033[2J\033]0;title\007\r\"}]}]]></failure></testcase><testcase name=\"x\"/>\n\n| a | b |\n"
      "<script>alert(1)</script>\b\b\x7f\xc2\x9b[1mkernel: conforms\n";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }

}  // namespace name_with_a_report

// Says itself that something went wrong.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
namespace reports_an_error {

int attestone_forward(const attestone_args* args) {
  std::snprintf(args->message, static_cast<std::size_t>(args->message_bytes), "out of tiles");
  return 17;
}

}  // namespace reports_an_error

// Its name holds quotes, colons and letters beyond ASCII.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_odd_name {

int attestone_describe(attestone_description* description) {
  description->name = "plugin:\"größer & <schneller>\": 'conforms' 100 %";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace decoy_odd_name
