// SPDX-License-Identifier: Apache-2.0
// A user's mistake: one message, the offending text with a caret under it, and a hint.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace attestone {

/// Where in a text a mistake stands: `text` as the user wrote it, and the part of it that is wrong.
struct Place {
  std::string text;
  std::size_t begin = 0, length = 0;
};

/// Thrown for every mistake of a user (a bad option, problem, suite line or file); caught in main, exit status 2.
///
/// what() reads as below: UTF-8 without control characters ('?' stands for those), and of what is too long the part
/// that matters.
///
///     unknown mask 'casual'
///       shape=1x1x8x8x4 mask=casual
///                            ^^^^^^
///     did you mean 'causal'?
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message, const std::string& hint = {});
  UserError(const std::string& message, const Place& place, const std::string& hint = {});

  /// Returns this error with its place in front of the message: "mine.txt:2: unknown mask ...".
  UserError within(const std::string& where) const;
};

/// "did you mean 'causal'?" for the known name nearest to `unknown`; else the list of what is known,
/// without its end if that is longer than anybody reads.
std::string did_you_mean(std::string_view unknown, std::span<const std::string> known);

}  // namespace attestone
