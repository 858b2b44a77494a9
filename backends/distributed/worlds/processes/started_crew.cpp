// SPDX-License-Identifier: Apache-2.0
// One job after the other.
#include "backends/distributed/worlds/processes/started_crew.hpp"

namespace attestone::inline backends {

std::vector<Safetensors> StartedCrew::ask(const std::vector<Frame>& requests) {
  const std::lock_guard lock(mutex_);
  try {
    if (!job_) job_ = std::make_unique<RankJob>(settings_);
    return job_->call(requests);
  } catch (...) {
    job_.reset();
    throw;
  }
}

void StartedCrew::restart() {
  const std::lock_guard lock(mutex_);
  job_.reset();
}

}  // namespace attestone::inline backends
