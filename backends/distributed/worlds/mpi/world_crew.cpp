// SPDX-License-Identifier: Apache-2.0
// All ranks of MPI's world as the crew of its rank 0: requests and answers go by MPI as well.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "backends/distributed/worlds/mpi/message_head.hpp"
#include "backends/distributed/worlds/mpi/rank_work.hpp"
#include "backends/distributed/worlds/processes/found_crew.hpp"

namespace attestone::inline backends {
namespace {

/// Between rank 0 and the others: apart from the messages of a mesh.
MPI_Comm calls = MPI_COMM_NULL;

int begin() {
  int provided = 0, rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &calls);
  MPI_Comm_rank(calls, &rank);
  return rank;
}

void send_bytes(const std::vector<std::byte>& bytes, int to) {
  MPI_Send(bytes.data(), mpi_count(bytes.size()), MPI_BYTE, to, 0, calls);
}

/// Waits for a message between naps: who waits for a call takes no processor from the one that judges.
std::vector<std::byte> receive_bytes(int from) {
  constexpr std::chrono::milliseconds nap{1};
  MPI_Status status;
  for (int there = 0; !there; std::this_thread::sleep_for(there ? nap * 0 : nap))
    MPI_Iprobe(from, 0, calls, &there, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  MPI_Recv(bytes.data(), count, MPI_BYTE, from, 0, calls, MPI_STATUS_IGNORE);
  return bytes;
}

/// A frame without the size in front of it, which MPI knows.
Safetensors read(std::vector<std::byte> bytes) {
  bytes.erase(bytes.begin(), bytes.begin() + frame_size_bytes);
  return {std::move(bytes), "a call"};
}

/// A rank whose program has gone wrong leaves others waiting: all of them end.
void end_all_after_fault(const Frame& answer, int rank) {
  const auto fault = answer.texts.find("fault");
  if (fault == answer.texts.end()) return;
  std::fprintf(stderr, "attestone: rank %d: %s: %s\n", rank, fault->second.c_str(), answer.texts.at("says").c_str());
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

class WorldCrew final : public RankCrew {
 public:
  WorldCrew() { begin(); }
  ~WorldCrew() override {
    for (int rank = 1; rank < size(); ++rank) send_bytes({}, rank);
    MPI_Finalize();
  }

  index size() const override {
    int ranks = 1;
    MPI_Comm_size(calls, &ranks);
    return ranks;
  }

  std::vector<Safetensors> ask(const std::vector<Frame>& requests) override {
    const std::lock_guard lock(mutex_);
    const int ranks = static_cast<int>(requests.size());
    for (int rank = 1; rank < ranks; ++rank) send_bytes(requests[static_cast<std::size_t>(rank)].bytes(), rank);
    const Frame own = answer_of(read(requests.front().bytes()), MPI_COMM_WORLD, 0, standing_);
    end_all_after_fault(own, 0);
    std::vector<Safetensors> answers{read(own.bytes())};
    for (int rank = 1; rank < ranks; ++rank) answers.push_back(read(receive_bytes(rank)));
    return answers;
  }

  void restart() override {}

 private:
  std::mutex mutex_;
  RankStanding standing_{};
};

}  // namespace

extern "C" {

RankCrew* attestone_mpi_crew() { return new WorldCrew; }

void attestone_mpi_serve() {
  const int rank = begin();
  RankStanding standing{};
  for (std::vector<std::byte> request; !(request = receive_bytes(0)).empty();) {
    const Frame answer = answer_of(read(std::move(request)), MPI_COMM_WORLD, rank, standing);
    end_all_after_fault(answer, rank);
    send_bytes(answer.bytes(), 0);
  }
  MPI_Finalize();
}
}

}  // namespace attestone::inline backends
