// SPDX-License-Identifier: Apache-2.0
// A file descriptor with an owner.
#pragma once

#include <utility>

namespace attestone::inline backends {

/// A file descriptor that is closed when its owner goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  void close();

 private:
  int number_ = -1;
};

/// Two connected ends of a channel that both ways lead through; `type` is that of socketpair. SystemFailure if the
/// machine has no descriptors left.
std::pair<Descriptor, Descriptor> connected_pair(int type);
/// The end to read from, and the end to write to. SystemFailure as above.
std::pair<Descriptor, Descriptor> one_way_pair();

}  // namespace attestone::inline backends
