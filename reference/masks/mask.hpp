// SPDX-License-Identifier: Apache-2.0
// Masks are values: plain data that can be copied, compared, printed, combined with & | ~, and asked about one pair.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/random/draws.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// One pair as a rule of visibility sees it.
struct MaskPoint {
  Sequence sequence;  ///< the real lengths
  Pair pair;
  std::uint64_t seed;  ///< of the problem, for rules whose pattern is drawn
};

/// A named rule of visibility: one file in reference/masks/.
///
/// `allows` is the definition that the truth uses. Kernels never call it: they read the plain data of a Mask and apply
/// their own logic, ask for dense bytes, or refuse. tests/masks/ defines every rule a second time.
struct MaskRule {
  std::string_view name;       ///< as in the problem text; may itself hold a colon ("causal:top_left")
  std::string_view summary;    ///< which keys a query sees, in one sentence
  std::string_view arguments;  ///< the arguments after the name, as help shows them ("left:right"), or nothing
  int argument_count;
  index least_argument;  ///< every argument is at least this
  bool (*allows)(const MaskPoint&, std::span<const index> arguments);
  bool differs_by_head = false;                             ///< whether heads of one sequence may see different keys
  index most_argument = std::numeric_limits<index>::max();  ///< every argument is at most this

  // How random problems draw it.
  Drawing drawing = {};
  bool band = false;  ///< a band of diagonals: drawn where other patterns are switched off, too
  /// Ways to draw the arguments: with a turn each way is one among those of all rules. If there are none, every
  /// argument is drawn from those that small problems tell apart.
  std::vector<std::vector<index> (*)(Draws&, const Shape&)> ways = {};
};

/// A mask is a rule with its arguments, or a combination of masks.
class Mask {
 public:
  enum class Kind { rule, not_, and_, or_ };

  Mask() : Mask("full") {}
  explicit Mask(std::string rule, std::vector<index> arguments = {});

  Kind kind() const { return kind_; }
  const std::string& rule() const { return rule_; }                   ///< of a rule: its name
  const std::vector<index>& arguments() const { return arguments_; }  ///< of a rule: its arguments
  const std::vector<Mask>& parts() const { return parts_; }           ///< of a combination: what is combined

  bool is_full() const { return kind_ == Kind::rule && rule_ == "full"; }
  /// True if the query may see the key; says nothing about padding.
  bool allows(const MaskPoint&) const;
  bool differs_by_head() const;
  /// The text of the problem grammar, with the fewest parentheses.
  std::string text() const;

  friend Mask operator~(const Mask&);
  friend Mask operator&(const Mask&, const Mask&);
  friend Mask operator|(const Mask&, const Mask&);
  bool operator==(const Mask&) const = default;

 private:
  static Mask combination(Kind, const Mask&, const Mask&);

  Kind kind_ = Kind::rule;
  std::string rule_;
  const MaskRule* entry_ = nullptr;  ///< what the registry holds of that name; null of a combination
  std::vector<index> arguments_;
  std::vector<Mask> parts_;
};

}  // namespace attestone
