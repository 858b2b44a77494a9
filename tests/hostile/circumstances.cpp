// SPDX-License-Identifier: Apache-2.0
// Kernels whose answers follow something that is not the problem: the clock, the address, how often they were called.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/hostile/honest.hpp"

// Its last bit depends on where its query lies.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace answers_by_address {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const uintptr_t page = reinterpret_cast<uintptr_t>(args->query.data) >> 12;
  for (int64_t i = 0; status == ATTESTONE_OK && i < hostile::out_count(args); ++i)
    if (page >> (i % 24) & 1) hostile::out(args)[i] = std::nextafter(hostile::out(args)[i], 9.f);
  return status;
}

}  // namespace answers_by_address

// Adds in an order that depends on OMP_NUM_THREADS, which it asks for in every call.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace answers_by_environment {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  float* const out = hostile::out(args);
  if (status == ATTESTONE_OK && hostile::out_count(args) > 0 && threads && std::atoi(threads) > 1)
    *out = std::nextafter(*out, 9.f);
  return status;
}

}  // namespace answers_by_environment

// Its last bit is drawn once for each process.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace answers_by_process {

int attestone_forward(const attestone_args* args) {
  static const unsigned drawn = std::random_device()();
  const int status = hostile::answer(args);
  for (int64_t i = 0; status == ATTESTONE_OK && i < hostile::out_count(args); ++i)
    if (drawn >> (i % 32) & 1) hostile::out(args)[i] = std::nextafter(hostile::out(args)[i], 9.f);
  return status;
}

}  // namespace answers_by_process

// Its last bit is the clock's.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace answers_by_the_clock {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const int64_t ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  for (int64_t i = 0; status == ATTESTONE_OK && i < hostile::out_count(args); ++i)
    if (ticks >> (i % 16) & 1) hostile::out(args)[i] = std::nextafter(hostile::out(args)[i], 9.f);
  return status;
}

}  // namespace answers_by_the_clock

// Declares that rows do not follow the batch, and answers a large one by other sums.
// expect: schedule --property=batch_invariant 'shape=1x2x5x9x8'
namespace follows_the_batch {

int attestone_describe(attestone_description* description) {
  description->numerics = "invariant=batch+heads";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->batch < 3) return status;
  float* const out = hostile::out(args);
  out[0] = std::nextafter(out[0], 2.0f);
  return ATTESTONE_OK;
}

}  // namespace follows_the_batch

// Is right for the shapes of the suite, which it has read, and wrong for all others.
// expect: wrong-number --property=value_bound --suite=visible.txt
namespace knows_the_suite {

int attestone_describe(attestone_description* description) {
  description->limits = "dtypes=f32 layouts=bhsd+bshd+strided scores= dropout=no";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const bool known = args->keys == 9 || args->keys == 16;
  if (status == ATTESTONE_OK && !known && hostile::out_count(args) > 0) *hostile::out(args) += 1;
  return status;
}

}  // namespace knows_the_suite

// Is right when it is looked at, and sloppy from its second call on.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace right_at_first {

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  const int status = hostile::answer(args);
  if (status == ATTESTONE_OK && ++calls > 1) *hostile::out(args) *= 2;
  return status;
}

}  // namespace right_at_first

// Answers zeros at first, and is right from its second call on.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace right_from_the_second_call {

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  const int status = hostile::answer(args);
  if (status == ATTESTONE_OK && ++calls == 1) std::fill_n(hostile::out(args), hostile::out_count(args), 0.0f);
  return status;
}

}  // namespace right_from_the_second_call

// Answers a large batch by other sums, and declares nothing that says otherwise.
// expect: conforms --property=value_bound,batch_invariant 'shape=1x2x5x9x8'
namespace decoy_follows_the_batch {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->batch < 3) return status;
  float* const out = hostile::out(args);
  out[0] = std::nextafter(out[0], 2.0f);
  return ATTESTONE_OK;
}

}  // namespace decoy_follows_the_batch

// Compiles itself in its first call: that takes a while.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_slow_first_call {

int attestone_forward(const attestone_args* args) {
  static const bool compiled = (std::this_thread::sleep_for(std::chrono::milliseconds(300)), true);
  return compiled ? hostile::answer(args) : 2;
}

}  // namespace decoy_slow_first_call
