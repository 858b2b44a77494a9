// SPDX-License-Identifier: Apache-2.0
// WRONG: the scaled query goes back to its own format before codes are made of it, as where q * scale is an operation
// of its own in a framework.
#include "../hosts/heads.hpp"

namespace {

class RoundedQuery : public heads::BlockInt8 {
  float scaled_query(const attestone_args& a, float x) const override {
    return door::narrow(static_cast<double>(BlockInt8::scaled_query(a, x)), door::format_of(a.query));
  }
};

}  // namespace

DOOR_EXPORT(RoundedQuery)
