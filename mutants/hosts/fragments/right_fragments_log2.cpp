// SPDX-License-Identifier: Apache-2.0
// A right kernel: fragments whose log_sum_exp is to base 2, which is declared; the backward pass knows it.
#include "backends/changed_kernel.hpp"
#include "mutants/hosts/fragments/fragments.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

struct Binary : Fragments {
  using Fragments::Fragments;

  void run() override {
    Fragments::run();
    for (Int b = 0; b < a.batch; ++b)
      for (Int h = 0; h < a.heads; ++h)
        for (Int i = 0; i < sequence(b).query_rows; ++i) {
          const Int place = lse.offset(sequence(b).place, h, sequence(b).first_query + i);
          lse.store(place, lse.load(place) * kLog2e);
        }
  }
};

struct FromBinary : Stored {
  using Stored::Stored;

  float lse_at(const Sequence& s, Int h, Int i) const override { return Stored::lse_at(s, h, i) * std::log(2.0f); }
};

const Registration<Twin> registered{{
    .name = "right_fragments_log2",
    .summary = "log_sum_exp to base 2, as declared",
    .batch = "fourth",
    .kernel =
        [] {
          return changed(kernel<Binary, FromBinary>("right_fragments_log2"),
                         {.conventions = Conventions{.lse = LogSumExpBase::log2}});
        },
}};

}  // namespace
}  // namespace attestone::inline mutants::fragments
