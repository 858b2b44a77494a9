// SPDX-License-Identifier: Apache-2.0
// A B A B, and only rounds in which the machine held still.
#include "conformance/bench/rounds.hpp"

#include <cmath>

#include "backends/stop_request.hpp"

namespace attestone::inline conformance {
namespace {

void stop_if_asked() {
  if (stop_is_asked()) throw Stopped();
}

}  // namespace

void hold_rounds(const RoundOptions& options, const std::function<double()>& limit, std::vector<Turn> turns,
                 BenchCell& cell) {
  for (int tried = 0; static_cast<int>(cell.rates.size()) < options.rounds && tried < options.most_tries; ++tried) {
    stop_if_asked();
    const double before = limit();
    std::vector<double> seconds;
    for (auto turn = turns.begin(); turn != turns.end();) {
      stop_if_asked();
      try {
        seconds.push_back(turn->seconds());
        ++turn;
      } catch (const Misbehaved& error) {
        *turn->entry = {turn->entry->contender, "", error.what()};
        turn = turns.erase(turn);
      }
    }
    if (turns.empty()) return;
    const double after = limit(), rate = (before + after) / 2;
    if (std::abs(before - after) > options.largest_move * rate) {
      ++cell.unsteady_rounds;
      continue;
    }
    cell.rates.push_back(rate);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      turns[i].entry->seconds.push_back(seconds[i]);
      turns[i].entry->shares.push_back(cell.amount / seconds[i] / rate);
    }
  }
}

}  // namespace attestone::inline conformance
