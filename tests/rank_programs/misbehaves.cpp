// SPDX-License-Identifier: Apache-2.0
// misbehaves: a ring in which rank 1, when all ranks have met, does what no rank should.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/method/rank_program.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

class Misbehaves final : public RankProgram {
 public:
  explicit Misbehaves(std::string how) : ring_(make_rank_program("ring")), how_(std::move(how)) {}

  std::string name() const override { return "misbehaves:how=" + how_; }
  std::vector<std::string_view> axes() const override { return ring_->axes(); }
  Dealing dealing() const override { return ring_->dealing(); }
  index copies(const Shape& shape, index members) const override { return ring_->copies(shape, members); }
  Support supports(const Problem& problem, const Mesh& mesh) const override { return ring_->supports(problem, mesh); }
  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    return ring_->numerics(problem, mesh, local);
  }
  const DType& part_format(const Problem& problem, const Mesh& mesh) const override {
    return ring_->part_format(problem, mesh);
  }
  bool merges_partials(const Mesh& mesh) const override { return ring_->merges_partials(mesh); }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    Task<> met = barrier(rank.communicator, rank.ring);
    co_await met;
    if (rank.communicator.rank() == 1) {
      Task<> wrong = misbehave(rank, held);
      co_await wrong;
    }
    Task<RankAnswer> answer = ring_->forward(rank, std::move(held));
    RankAnswer right = co_await answer;
    co_return right;
  }
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override {
    return ring_->backward(rank, std::move(saved));
  }
  RankCosts forward_costs(const CostedRank& rank) const override { return ring_->forward_costs(rank); }
  RankCosts backward_costs(const CostedRank& rank) const override { return ring_->backward_costs(rank); }

 private:
  Task<> misbehave(Rank& rank, const RankInputs& held) const {
    if (how_ == "dies") raise(SIGKILL);
    if (how_ == "crashes") std::abort();
    if (how_ == "exits") std::exit(3);
    if (how_ == "leaves") _exit(0);
    if (how_ == "throws") throw std::runtime_error("it throws");
    if (how_ == "computes")
      for (volatile index forever = 0;;) forever = forever + 1;
    if (how_ == "prints")
      for (;;) std::puts("for ever");
    Buffer room(rank.device, "room", held.key.dtype(), 1, 1, 3);
    const std::vector<View> in{room.all()};
    const std::vector<ConstView> out{room.all()};
    Communicator& communicator = rank.communicator;
    if (how_ == "waits") {
      Group aside = rank.ring;
      aside.name = "aside";
      const Signature nobody = communicator.begin(aside, "nobody", CallSite::current());
      Request request = communicator.receive(aside, 0, nobody, in);
      co_await request;
    } else if (how_ == "mismatches") {
      Task<> other = all_of(permute(communicator, rank.ring, 1, out, in));
      co_await other;
    } else if (how_ == "forgets") {
      const Signature more = communicator.begin(rank.ring, "more", CallSite::current());
      const Request request = communicator.send(rank.ring, 0, more, out);
    }
  }

  std::shared_ptr<const RankProgram> ring_;
  std::string how_;
};

const Registration<RankProgramEntry> registered{{
    .name = "misbehaves",
    .summary = "a ring in which rank 1 does what no rank should",
    .settings = {{"how", "dies",
                  one_of({"dies", "crashes", "exits", "leaves", "throws", "computes", "prints", "waits", "mismatches",
                          "forgets"}),
                  "what it does"}},
    .meshes = {"ring:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<Misbehaves>(settings.text("how"));
    },
}};

}  // namespace
}  // namespace attestone
