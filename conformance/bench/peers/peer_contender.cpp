// SPDX-License-Identifier: Apache-2.0
// Asking a peer, and taking nothing for an answer that is none.
#include "conformance/bench/peers/peer_contender.hpp"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/bench/peers/peer_process.hpp"
#include "reference/printable.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

using Json = nlohmann::json;

/// Its answer as an object.
Json object_of(const std::string& line) {
  constexpr std::size_t shown = 60;
  Json json = Json::parse(line, nullptr, false);
  if (json.is_object()) return json;
  throw Misbehaved(fmt::format("answers what is no JSON object: {}", printable(line.substr(0, shown))));
}

std::string text_of(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// A positive number of the answer.
double number_of(const Json& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end() || !found->is_number() || !(found->get<double>() > 0) || !std::isfinite(found->get<double>()))
    throw Misbehaved(fmt::format("answers without a positive '{}': {}", field, json.dump().substr(0, 60)));
  return found->get<double>();
}

/// Refuses the features for which the protocol has no words.
void refuse_what_cannot_be_said(const Problem& problem) {
  const auto refuse = [](const char* what) { throw NotTaken(fmt::format("peers are not asked for {}", what)); };
  const bool known_mask =
      problem.mask.kind() == Mask::Kind::rule &&
      (problem.mask.is_full() || problem.mask.rule() == "causal" || problem.mask.rule() == "window");
  if (!known_mask) refuse("other masks than full, causal and window");
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) refuse("sequences of different lengths");
  if (!(problem.score == Score{})) refuse("scores that are changed");
  if (problem.dropout > 0) refuse("dropout");
  if (problem.value_is_key || !problem.formats.empty() || problem.output.name != problem.input.name)
    refuse("formats or tensors of different kinds");
  if (problem.layout != "bhsd" || !problem.tensor_layouts.empty()) refuse("other layouts than bhsd");
}

std::string request_of(const Problem& problem, int threads) {
  const Shape& s = problem.shape;
  return Json{{"problem", problem.text()},
              {"batch", s.batch},
              {"heads", s.heads},
              {"kv_heads", s.kv_heads},
              {"queries", s.queries},
              {"keys", s.keys},
              {"dim", s.dim},
              {"value_dim", s.value_dim},
              {"dtype", std::string(problem.input.name)},
              {"mask", problem.mask.rule()},
              {"window", problem.mask.arguments()},
              {"scale", problem.scale()},
              {"backward", problem.backward},
              {"threads", threads}}
      .dump();
}

/// The process runs while this lives; what hangs is stopped like the rest.
class Running {
 public:
  explicit Running(PeerProcess& process) : process_(process) { process_.resume(); }
  ~Running() { process_.pause(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  PeerProcess& process_;
};

/// A peer that is ready: stopped, but for its turns.
class PeerRunner final : public Runner {
 public:
  PeerRunner(const PeerLine& line, const std::string& name, const Problem& problem, int threads)
      : seconds_(line.seconds), process_(line.line, name, environment(threads)) {
    const Json answer = object_of(process_.answer(request_of(problem, threads), seconds_));
    if (const std::string why = text_of(answer, "refused"); !why.empty()) throw NotTaken(why);
    if (!answer.contains("ready")) throw Misbehaved(fmt::format("is neither ready nor refuses: {}", answer.dump()));
    memory_ = number_of(answer, "memory_bytes");
    if (const auto notes = answer.find("notes"); notes != answer.end() && notes->is_array())
      for (const Json& note : *notes)
        if (note.is_string()) notes_.push_back(note.get<std::string>());
    process_.pause();
  }

  double seconds_of_turn() override {
    const Running running(process_);
    return turn_of([this] { return timed_call(); });
  }

  PeakMemory memory() override { return {memory_, "added"}; }
  std::vector<std::string> notes() override { return notes_; }

 private:
  static std::map<std::string, std::string> environment(int threads) {
    const auto all = thread_variables(threads);
    return {all.begin(), all.end()};
  }

  double timed_call() {
    const auto begin = std::chrono::steady_clock::now();
    const double said = number_of(object_of(process_.answer(R"({"call":1})", seconds_)), "seconds");
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (said > passed) throw Misbehaved(fmt::format("says {:g} s of a call that took {:g} s", said, passed));
    return said;
  }

  double seconds_;
  PeerProcess process_;
  double memory_ = 0;
  std::vector<std::string> notes_;
};

class PeerContender final : public Contender {
 public:
  PeerContender(PeerLine line, std::string name) : line_(std::move(line)), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::unique_ptr<Runner> ready(const Problem& problem, int threads) override {
    refuse_what_cannot_be_said(problem);
    return std::make_unique<PeerRunner>(line_, name_, problem, threads);
  }

 private:
  PeerLine line_;
  std::string name_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> thread_variables(int threads) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"})
    all.emplace_back(name, std::to_string(threads));
  return all;
}

std::vector<PeerFacts> listed_peers(const PeerLine& line) {
  try {
    PeerProcess process(line.line, "list", {});
    const Json answer = object_of(process.line(line.seconds));
    const auto peers = answer.find("peers");
    if (text_of(answer, "protocol") != "attestone.peers/1" || peers == answer.end() || !peers->is_array())
      throw Misbehaved("speaks another protocol than attestone.peers/1");
    std::vector<PeerFacts> all;
    for (const Json& peer : *peers) {
      if (!peer.is_object() || text_of(peer, "name").empty()) throw Misbehaved("lists a peer without a name");
      all.push_back(
          {text_of(peer, "name"), text_of(peer, "version"), text_of(peer, "meaning"), text_of(peer, "absent")});
    }
    return all;
  } catch (const Misbehaved& error) {
    throw UserError(fmt::format("the peers do not say who they are: {}", error.what()),
                    Place{"--peers=" + line.line, 8, line.line.size()},
                    "./run peers makes an environment for them and asks them all (docs/bench.md)");
  }
}

std::unique_ptr<Contender> peer_contender(const PeerLine& line, const std::string& name) {
  return std::make_unique<PeerContender>(line, name);
}

}  // namespace attestone::inline conformance
