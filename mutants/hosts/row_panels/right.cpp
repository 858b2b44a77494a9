// SPDX-License-Identifier: Apache-2.0
// The row-panel and the split-KV host of this room without a fault.
#include "mutants/hosts/row_panels/right.hpp"

#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/row_panel.hpp"
#include "mutants/hosts/row_panels/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {

SharedKernel right_row_panel() { return row_kernel<RowPanel>("right_row_panel"); }
SharedKernel right_split_kv() { return row_kernel<SplitKv>("right_split_kv"); }

namespace {

const Registration<Twin> row_panel{
    {.name = "right_row_panel",
     .summary = "packed rows against panels of keys, softmax in several passes over a strip; dQ of all strips reduced "
                "at the end",
     .batch = "fifth",
     .kernel = right_row_panel}};
const Registration<Twin> split_kv{
    {.name = "right_split_kv",
     .summary = "a schedule deals blocks of keys out to eight workers and their parts are merged; P materialised for "
                "the gradients of a head",
     .batch = "fifth",
     .kernel = right_split_kv}};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
