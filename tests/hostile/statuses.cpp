// SPDX-License-Identifier: Apache-2.0
// Kernels that refuse when they should not, or return a status that nobody expects.
#include <climits>
#include <cmath>

#include "tests/hostile/honest.hpp"

// Refuses every third call, whatever it is asked.
// expect: refused-later --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace refuses_at_random {

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  return ++calls % 3 == 2 ? static_cast<int>(ATTESTONE_REFUSED) : hostile::answer(args);
}

}  // namespace refuses_at_random

// Refuses whatever it is asked, with status 1 each time.
// expect: refused --property=value_bound 'shape=1x2x5x9x8'
namespace refuses_everything {

int attestone_forward(const attestone_args*) { return ATTESTONE_REFUSED; }

}  // namespace refuses_everything

// Answers a problem once, and refuses it when it is asked again.
// expect: refused-later --property=guards 'shape=1x2x5x9x8'
namespace refuses_later {

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  return ++calls > 1 ? static_cast<int>(ATTESTONE_REFUSED) : hostile::answer(args);
}

}  // namespace refuses_later

// Refuses every problem whose scores are large.
// expect: refused --property=value_bound 'shape=1x2x5x9x8 fill=large_logits'
namespace refuses_what_is_hard {

int attestone_forward(const attestone_args* args) {
  const auto* const query = static_cast<const float*>(args->query.data);
  for (int64_t i = 0; i < args->batch * args->heads * args->queries * args->dim; ++i)
    if (std::fabs(query[i]) > 4) return ATTESTONE_REFUSED;
  return hostile::answer(args);
}

}  // namespace refuses_what_is_hard

// Answers once, wrongly, and refuses everything from then on: nobody shall look closer.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace refuses_what_it_got_wrong {

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  return ++calls > 1 ? static_cast<int>(ATTESTONE_REFUSED) : hostile::answer_wrongly(args);
}

}  // namespace refuses_what_it_got_wrong

// Answers 256, of which a byte says success.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
namespace returns_256 {

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  return 256;
}

}  // namespace returns_256

// Answers the most negative number that there is.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
namespace returns_the_least_number {

int attestone_forward(const attestone_args*) { return INT_MIN; }

}  // namespace returns_the_least_number
