// SPDX-License-Identifier: Apache-2.0
// The program of a rank: a coroutine that waits for messages and for other coroutines, and never holds up another rank.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "backends/distributed/messages/rules.hpp"

namespace attestone::inline backends {

/// Who runs the coroutines of one rank.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Resumes this coroutine later, never inside this call: so no stack grows with the number of awaits.
  virtual void ready(std::coroutine_handle<>) = 0;
  /// A task was destroyed that had begun: before it ended, or with a failure that nobody asked for. A mistake of the
  /// program's, unless an exception is on its way.
  virtual void dropped(std::coroutine_handle<>, std::exception_ptr failure) noexcept = 0;
};

/// The state of every coroutine of a rank: who runs it, and who waits for it.
class TaskPromise {
 public:
  Scheduler* scheduler = nullptr;   ///< set when somebody awaits or starts it
  std::coroutine_handle<> waiting;  ///< resumed when it has ended
  std::exception_ptr failure;       ///< what left it, if anything did
  bool ended = false;

  std::suspend_always initial_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }

  /// Whoever waits is not resumed here, but made ready.
  struct End {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> self) noexcept {
      TaskPromise& promise = self.promise();
      promise.ended = true;
      if (promise.waiting) promise.scheduler->ready(promise.waiting);
    }
    void await_resume() noexcept {}
  };
  End final_suspend() noexcept { return {}; }
};

/// The promise of a task with a result, and of one without.
template <class Result>
class ResultPromise : public TaskPromise {
 public:
  void return_value(Result result) { result_ = std::move(result); }
  Result take() {
    demand(result_.has_value(), "a task is asked for its result once");
    Result result = std::move(*result_);
    result_.reset();
    return result;
  }

 private:
  std::optional<Result> result_;
};
/// The promise of a task without a result.
template <>
class ResultPromise<void> : public TaskPromise {
 public:
  void return_void() noexcept {}
  void take() noexcept {}
};

/// A coroutine that begins when it is awaited or started, and ends once. It owns its frame, and with it its parameters,
/// which live until the task is destroyed: a buffer among them is held until then, or until it is released.
///
/// Inside `co_await f(...)` stands no aggregate, no braced list and no `a ? b : c`: g++ 12 destroys such a temporary
/// twice. Name it first (tests/simulate/awaits_test.cpp reads every source for it).
template <class Result = void>
class [[nodiscard]] Task {
 public:
  /// Required by the language of a coroutine's type.
  struct promise_type : ResultPromise<Result> {
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
  };

  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (!frame_) return;
    if (Scheduler* scheduler = promise().scheduler; scheduler && (!promise().ended || promise().failure))
      scheduler->dropped(frame_, promise().failure);
    frame_.destroy();
  }

  /// Runs beside whoever calls, from the scheduler's next turn on. It may be awaited later; it must not be destroyed
  /// before it has ended.
  void start(Scheduler& scheduler) {
    demand(!promise().scheduler, "a task begins once");
    promise().scheduler = &scheduler;
    scheduler.ready(frame_);
  }
  bool ended() const { return promise().ended; }
  /// The result of the task; throws the exception that left it.
  Result result() {
    demand(ended(), "a task is asked for its result when it has ended");
    if (promise().failure) std::rethrow_exception(std::exchange(promise().failure, nullptr));
    return promise().take();
  }

  bool await_ready() const noexcept { return promise().ended; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) {
    demand(!promise().waiting, "one coroutine waits for a task");
    promise().waiting = waiting;
    if (!promise().scheduler) start(*waiting.promise().scheduler);
  }
  Result await_resume() { return result(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  promise_type& promise() const { return frame_.promise(); }

  std::coroutine_handle<promise_type> frame_;
};

}  // namespace attestone::inline backends
