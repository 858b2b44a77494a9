// SPDX-License-Identifier: Apache-2.0
// Counting the memory that a kernel takes, and its work.
#include "backends/device.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "backends/kernel_fault.hpp"
#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

/// The memory in use by name, the largest first.
std::string table(const MemoryUse& use) {
  std::vector<std::pair<index, std::string>> lines;
  for (const auto& [name, bytes] : use.by_name) lines.emplace_back(-bytes, name);
  std::ranges::sort(lines);
  std::string all;
  for (const auto& [bytes, name] : lines) all += fmt::format("\n  {:>12} {}", -bytes, name);
  return all;
}

}  // namespace

void Device::take(index bytes, const std::string& name) {
  require(bytes >= 0, "nobody takes less than nothing");
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  if (bytes > limit_ - live_.bytes)
    throw KernelFault("out-of-memory", fmt::format("{} bytes for {} do not fit: of {}, {} are taken{}", bytes, name,
                                                   limit_, live_.bytes, table(live_)));
  index &named = live_.by_name[name], &peak_of_name = peak_.by_name[name];
  live_.bytes += bytes;
  named += bytes;
  peak_.bytes = std::max(peak_.bytes, live_.bytes);
  peak_of_name = std::max(peak_of_name, named);
}

void Device::give_back(index bytes, const std::string& name) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const auto named = live_.by_name.find(name);
  require(named != live_.by_name.end() && named->second >= bytes, "a kernel gives back what it took, once");
  live_.bytes -= bytes;
  named->second -= bytes;
  if (named->second == 0) live_.by_name.erase(named);
}

Work& Work::operator+=(const Work& more) {
  multiply_adds += more.multiply_adds;
  exponentials += more.exponentials;
  bytes += more.bytes;
  return *this;
}

void Device::compute(const Work& work) {
  const std::lock_guard lock(mutex_);
  work_ += work;
}

Work Device::work() const {
  const std::lock_guard lock(mutex_);
  return work_;
}

void Device::note(std::vector<MeasuredDevice> devices) {
  const std::lock_guard lock(mutex_);
  devices_ = std::move(devices);
}

std::vector<MeasuredDevice> Device::devices() const {
  const std::lock_guard lock(mutex_);
  return devices_;
}

void Device::note_fault(const std::string& name, index times) {
  const std::lock_guard lock(mutex_);
  faults_[name] += times;
}

std::map<std::string, index> Device::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

MemoryUse Device::live() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

MemoryUse Device::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

}  // namespace attestone::inline backends
