// SPDX-License-Identifier: Apache-2.0
// Keeps a pool of threads between calls, which sleep until there is work.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/hostile/honest.hpp"

namespace {

/// Never destroyed: its threads wait until the process ends.
struct Pool {
  std::mutex mutex;
  std::condition_variable work, done;
  const attestone_args* args = nullptr;
  int status = 0;

  Pool() {
    for (int i = 0; i < 8; ++i) std::thread([this] { serve(); }).detach();
  }
  void serve() {
    for (std::unique_lock lock(mutex);;) {
      work.wait(lock, [this] { return args; });
      status = hostile::answer(args);
      args = nullptr;
      done.notify_all();
    }
  }
  int call(const attestone_args* now) {
    std::unique_lock lock(mutex);
    args = now;
    work.notify_one();
    done.wait(lock, [this] { return !args; });
    return status;
  }
};

}  // namespace

int attestone_forward(const attestone_args* args) {
  static Pool& pool = *new Pool;
  return pool.call(args);
}
