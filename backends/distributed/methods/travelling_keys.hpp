// SPDX-License-Identifier: Apache-2.0
// Keys and values that go round a ring: those of one place after the other come by.
#pragma once

#include "backends/distributed/methods/ring.hpp"
#include "backends/distributed/rank/coded_keys.hpp"

namespace attestone::inline backends {

/// At step i the rank has those of the place i places back. With a payload they travel as codes, which are passed on as
/// they came, and only the rank's own rows are as they were given.
class TravellingKeys {
 public:
  TravellingKeys(Rank&, KeyValue own, const RingVariant&);

  /// The keys that local attention reads at this step.
  LocalKeys here() const { return {rows(step_), here_.key, here_.value}; }
  /// Rows of the next step.
  index next_rows() const { return rows(step_ + 1).count(); }
  /// Sends what is here on, if it still has a way to go. Under way on return.
  void send(From = From::current());
  /// Waits until the sent keys have left and the next ones are here. The step is over.
  Task<> arrive();
  /// Lets go of them, if they have come home.
  void release();

 private:
  const HeldRows& rows(index step) const { return rank_.keys.of_ring(rank_.ring.beside(-step)); }
  bool goes_on() const { return step_ < rank_.ring.size() - 1 || variant_.hops == Hops::all; }

  Rank& rank_;
  RingVariant variant_;
  index step_ = 0;
  KeyValue here_;
  std::optional<CodedKeys> codes_;  ///< of what is here
  Hop next_, next_scales_;
};

}  // namespace attestone::inline backends
