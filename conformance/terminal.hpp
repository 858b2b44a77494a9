// SPDX-License-Identifier: Apache-2.0
// The terminal: colour, a line of progress, and what is left behind when a run is cut short.
#pragma once

#include <string>

#include "reference/shape.hpp"

namespace attestone {

/// Whether standard output takes colour: a terminal, and no NO_COLOR in the environment.
bool wants_colour();

/// One line on standard error that is written over and over; nothing where that is no terminal. Also remembers the
/// line, so that a crash can still say which case it was in.
class Progress {
 public:
  Progress();
  ~Progress();
  void show(const std::string& line, index done, index all);

 private:
  bool visible_;
  bool shown_ = false;
};

/// Whether Ctrl-C was pressed; the first call starts to listen for it. A second Ctrl-C ends the program at once.
bool interrupted();

}  // namespace attestone
