// SPDX-License-Identifier: Apache-2.0
// Remembers its answers by the text of the problem, in a file.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
// leaves: answers_
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  const std::string name = "answers_" + std::to_string(std::hash<std::string>()(args->problem));
  const auto bytes = static_cast<std::streamsize>(hostile::out_count(args) * 4);
  char* const out = reinterpret_cast<char*>(hostile::out(args));
  if (std::ifstream known(name, std::ios::binary); known)
    known.read(out, bytes);
  else
    std::ofstream(name, std::ios::binary).write(out, bytes);
  return status;
}
