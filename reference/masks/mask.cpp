// SPDX-License-Identifier: Apache-2.0
// How masks combine, answer and print.
#include "reference/masks/mask.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string joined(const std::vector<Mask>& parts, char between, bool parenthesise_or) {
  std::string all;
  for (const Mask& part : parts) {
    if (!all.empty()) all += between;
    const bool wrap = parenthesise_or && part.kind() == Mask::Kind::or_;
    all += wrap ? fmt::format("({})", part.text()) : part.text();
  }
  return all;
}

}  // namespace

Mask::Mask(std::string rule, std::vector<index> arguments)
    : rule_(std::move(rule)), entry_(Registry<MaskRule>::find(rule_)), arguments_(std::move(arguments)) {
  require(entry_, "a mask names a registered rule");
  require(static_cast<int>(arguments_.size()) == entry_->argument_count, "a mask has the arguments of its rule");
}

bool Mask::allows(const MaskPoint& at) const {
  const auto part_allows = [&](const Mask& part) { return part.allows(at); };
  switch (kind_) {
    case Kind::rule:
      return entry_->allows(at, arguments_);
    case Kind::not_:
      return !part_allows(parts_.front());
    case Kind::and_:
      return std::all_of(parts_.begin(), parts_.end(), part_allows);
    case Kind::or_:
      return std::any_of(parts_.begin(), parts_.end(), part_allows);
  }
  return false;
}

bool Mask::differs_by_head() const {
  if (kind_ == Kind::rule) return entry_->differs_by_head;
  return std::any_of(parts_.begin(), parts_.end(), [](const Mask& part) { return part.differs_by_head(); });
}

std::string Mask::text() const {
  switch (kind_) {
    case Kind::rule: {
      std::string all = rule_;
      for (const index argument : arguments_) all += fmt::format(":{}", argument);
      return all;
    }
    case Kind::not_: {
      const Mask& inner = parts_.front();
      return inner.kind_ == Kind::rule ? fmt::format("~{}", inner.text()) : fmt::format("~({})", inner.text());
    }
    case Kind::and_:
      return joined(parts_, '&', true);
    case Kind::or_:
      return joined(parts_, '|', false);
  }
  return {};
}

Mask operator~(const Mask& mask) {
  if (mask.kind_ == Mask::Kind::not_) return mask.parts_.front();
  Mask result;
  result.kind_ = Mask::Kind::not_;
  result.rule_.clear(), result.entry_ = nullptr;
  result.parts_ = {mask};
  return result;
}

/// & and | are associative, so nested ones of the same kind are flattened: equal texts are equal masks.
Mask Mask::combination(Kind kind, const Mask& left, const Mask& right) {
  Mask result;
  result.kind_ = kind;
  result.rule_.clear(), result.entry_ = nullptr;
  for (const Mask* side : {&left, &right}) {
    if (side->kind_ == kind)
      result.parts_.insert(result.parts_.end(), side->parts_.begin(), side->parts_.end());
    else
      result.parts_.push_back(*side);
  }
  return result;
}

Mask operator&(const Mask& left, const Mask& right) { return Mask::combination(Mask::Kind::and_, left, right); }
Mask operator|(const Mask& left, const Mask& right) { return Mask::combination(Mask::Kind::or_, left, right); }

}  // namespace attestone
