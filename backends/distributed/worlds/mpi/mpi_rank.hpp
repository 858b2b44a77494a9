// SPDX-License-Identifier: Apache-2.0
// One rank of a mesh that is a process: its messages go over MPI, and where nothing else is to be done it sleeps in
// MPI_Waitsome.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <mpi.h>
#include <set>
#include <vector>

#include "backends/distributed/messages/posted.hpp"
#include "backends/distributed/worlds/mpi/message_head.hpp"
#include "backends/distributed/worlds/processes/rank_standing.hpp"

namespace attestone::inline backends {

/// A rank in one call. A message is a head, accepted from any rank, and a payload, which is asked for when both
/// ends have been seen to mean the same: so a mismatch is named, and a send is finished when it has been received.
class MpiRank final : public PostingTransport {
 public:
  /// Requests of this rank go out by `communicator`, whose rank it is.
  MpiRank(MPI_Comm communicator, index rank, RankStanding&);
  ~MpiRank() override;
  MpiRank(const MpiRank&) = delete;
  MpiRank& operator=(const MpiRank&) = delete;

  /// Runs the program to its end. KernelFault for its mistakes; other exceptions of it pass. After any of them the
  /// processes are of no more use.
  void run(Task<> program);

  void ready(std::coroutine_handle<> coroutine) override { ready_.push_back(coroutine); }
  void dropped(std::coroutine_handle<>, std::exception_ptr failure) noexcept override;
  /// Does nothing: the messages of others show what they begin.
  void begun(const Group&, const Signature&) override {}
  index post_send(index to, const Signature&, std::span<const ConstView>) override;
  index post_receive(index from, const Signature&, std::span<const View>) override;

 private:
  /// Something that MPI has been asked for.
  struct Underway {
    enum Kind { head_comes, head_leaves, payload_leaves, payload_comes } kind;
    index request;                        ///< of this rank, that is finished by it; none for heads
    std::unique_ptr<MessageHead> head{};  ///< of a head
    Message message{};                    ///< of a payload
  };

  void note(const KernelFault&) override;
  bool over() const override { return over_; }
  void go_on(Task<>& program);
  void wait_for_some();
  void completed(Underway, const MPI_Status&);
  void await_head();
  void await_payload(Message, index request);
  void take_payload(Message, index request);
  void look_at_what_is_left() const;
  std::string waiting_text() const;

  MPI_Comm communicator_;
  RankStanding& standing_;
  std::deque<std::coroutine_handle<>> ready_;
  std::vector<MPI_Request> handles_;  ///< [underway]
  std::vector<Underway> underway_;
  index sent_ = 0;  ///< messages
  std::set<std::string> places_;
  std::exception_ptr failure_;  ///< the first mistake
  std::exception_ptr unheard_;  ///< left a task that nobody asked for its result
  bool over_ = false;           ///< what is destroyed now is no mistake any more
};

}  // namespace attestone::inline backends
