// SPDX-License-Identifier: Apache-2.0
// WRONG: scales of V are indexed by the place of a token in its page of 64, and the page is forgotten.
#include "../hosts/rows.hpp"

namespace {

struct FirstPage : rows::CachePlaces {
  static size_t value_token(size_t j) { return j % 64; }
};

}  // namespace

DOOR_EXPORT(rows::Attention<rows::Cache<FirstPage>>)
