// SPDX-License-Identifier: Apache-2.0
// The possible kinds of a number computed in an unknown order: a set of zero, finite numbers of either sign,
// infinities and NaN.
#pragma once

namespace attestone {

/// A set of kinds of numbers. Operations answer with every kind that IEEE 754 can make of any members, products that
/// underflow included; sums and products that overflow are not: whoever asks must know that they do not.
class Possible {
 public:
  constexpr Possible() = default;
  /// The kind of one number.
  static Possible of(double);
  static const Possible zero, positive, negative, infinite, minus_infinite, nan;
  static const Possible number;    ///< any finite one
  static const Possible anything;  ///< nothing is known

  constexpr bool none() const { return kinds_ == 0; }
  constexpr bool includes(Possible other) const { return (kinds_ & other.kinds_) == other.kinds_; }
  constexpr bool meets(Possible other) const { return (kinds_ & other.kinds_) != 0; }
  bool may_be_finite() const { return meets(number); }
  bool is_certainly_nan() const { return kinds_ == nan.kinds_; }

  friend constexpr Possible operator|(Possible a, Possible b) { return Possible(a.kinds_ | b.kinds_); }
  constexpr Possible& operator|=(Possible other) { return *this = *this | other; }
  friend constexpr bool operator==(Possible, Possible) = default;
  friend Possible operator+(Possible, Possible);
  friend Possible operator*(Possible, Possible);

 private:
  class Table;
  constexpr explicit Possible(unsigned kinds) : kinds_(kinds) {}
  unsigned kinds_ = 0;
};

inline constexpr Possible Possible::zero{1}, Possible::positive{2}, Possible::negative{4}, Possible::infinite{8},
    Possible::minus_infinite{16}, Possible::nan{32}, Possible::number{7}, Possible::anything{63};

Possible operator-(Possible);
Possible operator+(Possible, Possible);
Possible operator*(Possible, Possible);
inline Possible operator-(Possible a, Possible b) { return a + -b; }
inline Possible& operator+=(Possible& a, Possible b) { return a = a + b; }

}  // namespace attestone
