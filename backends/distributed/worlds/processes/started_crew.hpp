// SPDX-License-Identifier: Apache-2.0
// Ranks that attestone starts itself: when they are needed, kept between calls, replaced when one went wrong.
#pragma once

#include <memory>
#include <mutex>

#include "backends/distributed/worlds/processes/rank_crew.hpp"
#include "backends/distributed/worlds/processes/rank_job.hpp"

namespace attestone::inline backends {

/// Started with the first call, kept from call to call, and ended with this.
class StartedCrew final : public RankCrew {
 public:
  explicit StartedCrew(RankJobSettings settings) : settings_(std::move(settings)) {}

  index size() const override { return settings_.ranks; }
  std::vector<Safetensors> ask(const std::vector<Frame>& requests) override;
  void restart() override;

 private:
  RankJobSettings settings_;
  std::mutex mutex_;  ///< of the job: one call after the other
  std::unique_ptr<RankJob> job_;
};

}  // namespace attestone::inline backends
