// SPDX-License-Identifier: Apache-2.0
// The terminal: colour, a line of progress, and what is left behind when a run is cut short.
#pragma once

#include <atomic>
#include <string>

namespace attestone::inline conformance {

/// Whether standard output takes colour: a terminal, and no NO_COLOR in the environment.
bool wants_colour();

/// What a person sees on standard error while a run goes on; nothing where that is no terminal. Also remembers the
/// case, so that a crash can still say in which it was.
class Progress {
 public:
  Progress();
  ~Progress();
  /// Writes the line over the one before. From any thread, one at a time; where it crashes afterwards, it was this
  /// case.
  void show(const std::string& line, const std::string& current_case);
  /// Takes the line away.
  void clear();
  /// Writes lines that stay.
  void tell(const std::string& lines);

 private:
  bool visible_;
  std::atomic<bool> shown_ = false;
};

}  // namespace attestone::inline conformance
