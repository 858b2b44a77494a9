// SPDX-License-Identifier: Apache-2.0
// A hop a step.
#include "backends/distributed/methods/travelling_keys.hpp"

namespace attestone::inline backends {

TravellingKeys::TravellingKeys(Rank& rank, KeyValue own, const RingVariant& variant)
    : rank_(rank), variant_(variant), here_(std::move(own)) {
  if (variant_.payload) codes_ = encode(rank_.device, here_, *variant_.payload);
}

void TravellingKeys::send(From from) {
  if (!goes_on()) return;
  if (!codes_) {
    next_ = hop(rank_, rank_.ring, 1, here_, "KV", next_rows(), variant_.messages, from);
    return;
  }
  next_ = hop(rank_, rank_.ring, 1, codes_->codes, "KV codes", next_rows(), variant_.messages, from);
  next_scales_ = hop(rank_, rank_.ring, 1, codes_->scales, "KV scales", next_rows(), Messages::together, from);
}

Task<> TravellingKeys::arrive() {
  const bool went_on = goes_on();
  Task<> hopped = next_.finished(), scales_hopped = next_scales_.finished();
  co_await hopped;
  co_await scales_hopped;
  ++step_;
  here_.release();
  if (!went_on) {
    codes_.reset();
  } else if (!codes_) {
    here_ = std::move(*next_.coming);
  } else {
    codes_ = CodedKeys{std::move(*next_.coming), std::move(*next_scales_.coming)};
    const bool is_home = step_ == rank_.ring.size();  // where nobody reads it again
    if (!is_home) here_ = decode(rank_.device, *codes_, here_.key.dtype(), here_.value.dtype());
  }
}

void TravellingKeys::release() {
  here_.release();
  codes_.reset();
}

}  // namespace attestone::inline backends
