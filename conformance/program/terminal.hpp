// SPDX-License-Identifier: Apache-2.0
// The terminal: colour, a line of progress, and what is left behind when a run is cut short.
#pragma once

#include <atomic>
#include <string>

namespace attestone::inline conformance {

/// True if standard output takes colour: it is a terminal, and NO_COLOR is not in the environment.
bool wants_colour();

/// A line of progress on standard error, if that is a terminal. Also remembers the current case, so that a crash can
/// still name it.
class Progress {
 public:
  Progress();
  ~Progress();
  /// Replaces the line, and remembers the case, which is blamed for a later crash. Any thread may call this, one at a
  /// time.
  void show(const std::string& line, const std::string& current_case);
  /// Erases the line.
  void clear();
  /// Writes lines that stay on the terminal.
  void tell(const std::string& lines);

 private:
  bool visible_;
  std::atomic<bool> shown_ = false;
};

}  // namespace attestone::inline conformance
