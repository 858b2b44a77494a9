// SPDX-License-Identifier: Apache-2.0
// Kernels that send attestone the replies that only its own worker and keeper may send.
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/hostile/forged.hpp"
#include "tests/hostile/honest.hpp"

// Sends a reply of its own, too short, over every descriptor that it finds.
// expect: wrong-protocol --property=value_bound 'shape=1x2x5x9x8'
namespace forges_a_reply {

int attestone_forward(const attestone_args* args) {
  for (int descriptor = 3; descriptor < 64; ++descriptor) send(descriptor, "passed", 6, MSG_NOSIGNAL);
  return hostile::answer(args);
}

}  // namespace forges_a_reply

// Sends zeros, which may mean success, over every descriptor that it finds, and never returns.
// expect: wrong-protocol --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
namespace forges_a_long_reply {

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  static const char zeros[1 << 16] = {};
  for (int descriptor = 3; descriptor < 64; ++descriptor)
    send(descriptor, zeros, sizeof zeros, MSG_NOSIGNAL | MSG_DONTWAIT);
  for (;;) pause();
}

}  // namespace forges_a_long_reply

// A child sends a reply of its own over every descriptor that it inherits, while the parent waits.
// expect: wrong-protocol --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
namespace forges_from_a_child {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const pid_t child = fork();
  if (child == 0) {
    for (int descriptor = 3; descriptor < 64; ++descriptor) static_cast<void>(!write(descriptor, "passed", 6));
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return status;
}

}  // namespace forges_from_a_child

// Sends the worker's reply itself, word for word, and never returns.
// expect: wrong-protocol|hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace forges_a_full_reply {

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  hostile::send_forged_reply(args);
  for (;;) pause();
}

}  // namespace forges_a_full_reply

// A child sends the worker's reply and lives on, while the call goes on for ever.
// expect: wrong-protocol|hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace forges_a_full_reply_from_a_child {

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  if (fork() == 0) hostile::send_forged_reply(args);
  for (;;) pause();
}

}  // namespace forges_a_full_reply_from_a_child

// Sends the worker's reply itself and returns all the same: from now on each call has its reply before it is made.
// expect: wrong-protocol|not-repeatable --timeout=2s --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace forges_a_reply_ahead {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  hostile::send_forged_reply(args);
  return status;
}

}  // namespace forges_a_reply_ahead

// A thread sends the worker's reply, while the call goes on for ever.
// expect: wrong-protocol|hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace forges_a_reply_from_a_thread {

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  std::thread([args] { hostile::send_forged_reply(args); }).join();
  for (;;) pause();
}

}  // namespace forges_a_reply_from_a_thread

// Tells attestone, over every descriptor that may be the keeper's, that its process has ended well.
// expect: wrong-protocol|hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace forges_its_keepers_word {

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  attestone::wire::Kept kept{};
  kept.ended = 1;
  for (int descriptor = attestone::wire::keeper_descriptor; descriptor < 64; ++descriptor)
    send(descriptor, &kept, sizeof kept, MSG_NOSIGNAL | MSG_DONTWAIT);
  for (;;) pause();
}

}  // namespace forges_its_keepers_word
