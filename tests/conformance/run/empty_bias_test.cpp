// SPDX-License-Identifier: Apache-2.0
// Biases of problems without queries or keys, through both doors: each tensor keeps the extents that it is stored with.
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/shell.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// Answers for a problem without pairs: zeros of the shape of what was sent, and log_sum_exp -inf.
constexpr const char* program = R"(
import array, math, sys
sys.path.insert(0, sys.argv[1])
from kernel import read_message, send_message
zeros = lambda shape: (array.array('f', [0.0] * math.prod(shape)), shape)
while (message := read_message()) is not None:
    texts, tensors = message
    if texts['call'] == 'describe':
        send_message({'name': 'empty', 'passes': 'forward+backward', 'limits': 'dtypes=f32 scores=bias'}, {})
    elif texts['call'] == 'forward':
        b, h, q, _ = tensors['query'][1]
        v = tensors['value'][1][3]
        send_message({}, {'out': zeros([b, h, q, v]), 'log_sum_exp': (array.array('f', [-math.inf] * (b * h * q)), [b, h, q])})
    else:
        send_message({}, {'d' + name: zeros(tensors[name][1]) for name in ('query', 'key', 'value', 'bias')})
)";

class EmptyBias : public testing::TestWithParam<std::string> {
 protected:
  void expect_conforming(const std::string& kernel) const {
    const ShellOutput run = shell(fmt::format("attestone run {} --property=value_bound,gradient_bound '{}'", kernel,
                                              GetParam() + " pass=forward+backward"));
    EXPECT_EQ(run.status, 0) << run.text;
  }
};

TEST_P(EmptyBias, GoesThroughThePipe) {
  const ScratchFolder folder;
  std::ofstream(folder / "empty.py") << program;
  expect_conforming(fmt::format("--program='exec python3 {} {}'", (folder / "empty.py").string(),
                                source_folder() + "/examples/python"));
}

TEST_P(EmptyBias, GoesThroughTheCDoor) {
  expect_conforming("--plugin='" + program_folder() + "/plugins/differentiates_nothing.so'");
}

std::vector<std::string> problems() {
  std::vector<std::string> all;
  for (const char* shape : {"1x1x0x1x1", "2x3x0x4x2", "1x1x1x0x1", "2x3x4x0x2", "2x2x0x0x1"})
    for (const char* kind : {"full", "head", "batch", "pair", "key"})
      all.push_back(fmt::format("shape={} score=bias:{}", shape, kind));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Each, EmptyBias, testing::ValuesIn(problems()), by_parameter);

}  // namespace
}  // namespace attestone
