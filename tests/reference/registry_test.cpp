// SPDX-License-Identifier: Apache-2.0
// What registers itself is found, in the order of names, and a name is used once.
#include "reference/registry.hpp"

#include <gtest/gtest.h>

#include "reference/dtypes/dtype.hpp"
#include "reference/masks/mask.hpp"
#include "reference/scores/score.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

struct Stone {
  std::string name;
  int weight;
};

const Registration<Stone> second{{"second", 2}};
const Registration<Stone> first{{"first", 1}};

TEST(Registry, FindsAndSorts) {
  EXPECT_EQ(Registry<Stone>::names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(Registry<Stone>::find("second")->weight, 2);
  EXPECT_EQ(Registry<Stone>::find("third"), nullptr);
}

TEST(Registry, ANameIsUsedOnce) {
  try {
    const Registration<Stone> again(Stone{"first", 3});
    FAIL() << "two stones of one name";
  } catch (const BrokenAssumption& error) {
    EXPECT_STREQ(error.what(), "the name 'first' is registered twice");
  }
  EXPECT_EQ(Registry<Stone>::find("first")->weight, 1);
}

/// Object files that register themselves are dropped by a static archive; here they must all have arrived.
TEST(Registry, EveryExtensionFolderHasArrived) {
  EXPECT_GE(Registry<DType>::all().size(), 6u);
  EXPECT_GE(Registry<Layout>::all().size(), 4u);
  EXPECT_GE(Registry<MaskRule>::all().size(), 4u);
  EXPECT_GE(Registry<BiasRule>::all().size(), 2u);
}

}  // namespace
}  // namespace attestone
