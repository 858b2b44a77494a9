// SPDX-License-Identifier: Apache-2.0
// Faults that go wrong in a world on purpose, to see whether they are noticed: one file each in simulate/faults/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/distributed/messages/message.hpp"
#include "reference/random/draws.hpp"

namespace attestone::inline simulate {

/// Asked in the order of events, so that the world's seed decides all that it draws.
class Fault {
 public:
  virtual ~Fault() = default;

  /// A message leaves: `sent` holds it, and is what will arrive. It may be changed, added to, and emptied.
  virtual void leaving(std::vector<Message>& /*sent*/) {}
  /// True if this message, or this rank's next step, has to wait. If all have to, one of them happens.
  virtual bool holds_back(const Message&) { return false; }
  virtual bool holds_back(index /*rank*/) { return false; }
  /// True if a rank that has been resumed so many times stops for ever.
  virtual bool stops(index /*rank*/, index /*resumed*/) { return false; }
  /// Changes this rank's description of an operation or a message.
  virtual void says(index /*rank*/, Signature&) {}

  /// How often it has happened: a fault that never did proves nothing.
  index happened() const { return happened_; }

 protected:
  bool happens() { return ++happened_ > 0; }

 private:
  index happened_ = 0;
};

using Faults = std::vector<std::unique_ptr<Fault>>;

/// A fault as it is asked for: "corrupt", {"3", "silent"}.
struct FaultCall {
  std::string name;
  std::vector<std::string> arguments;
};

/// The messages, steps and operations of a call, which faults may befall.
struct Census {
  index messages = 0;             ///< how many are sent
  index contents = 0;             ///< the number after that of the last message with a content
  std::vector<index> steps;       ///< of each rank: how often it is resumed
  std::vector<index> operations;  ///< of each rank: how many it begins in the group in which it begins most

  index ranks() const { return static_cast<index>(steps.size()); }
  /// The census of a call of which only the number of ranks is known: one of everything.
  static Census of(index ranks);
};

/// Reads the arguments of one fault; what is left out is drawn among what there is. UserError for what cannot be.
class FaultArguments {
 public:
  FaultArguments(const FaultCall& call, const Census& census, Draws draws)
      : call_(call), census_(census), draws_(draws) {}

  const Census& census() const { return census_; }
  index rank() { return number("a rank", 0, census_.ranks() - 1, census_.ranks() - 1); }
  /// A rank of which the census counts any of these; and one of them, by its number.
  std::pair<index, index> rank_and(const char* what, const std::vector<index>& counts);
  /// The number of one of so many.
  index number_of(const char* what, index count) { return number(what, 0, count > 0 ? count - 1 : 0); }
  /// The next argument; from `least` to `most`. Drawn from `least` to `usually` if there is none.
  index number(const char* what, index least, index usually, index most = index{1} << 40);
  /// True if the next argument is this word.
  bool word(std::string_view);
  void finish() const;
  /// For what is drawn later.
  Draws draws() const { return draws_; }

 private:
  [[noreturn]] void refuse(const std::string& expected) const;

  const FaultCall& call_;
  const Census& census_;
  Draws draws_;
  std::size_t next_ = 0;
};

/// A kind of fault: one registered entry.
struct FaultRule {
  std::string_view name;
  std::string_view summary;
  std::string_view arguments;  ///< "[rank] [silent]"
  std::function<std::unique_ptr<Fault>(FaultArguments&)> make;
};

/// UserError for faults and arguments that there are not.
Faults make_faults(const std::vector<FaultCall>&, const Census&, std::uint64_t seed);

}  // namespace attestone::inline simulate
