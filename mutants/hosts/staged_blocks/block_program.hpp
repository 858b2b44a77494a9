// SPDX-License-Identifier: Apache-2.0
// The block program, in the manner of tile languages: programs of a grid load and store blocks with masks, and
// exponentials are to base 2.
#pragma once

#include "mutants/hosts/staged_blocks/block_program_backward.hpp"
#include "mutants/hosts/staged_blocks/block_program_forward.hpp"
#include "mutants/hosts/staged_blocks/block_program_policy.hpp"
#include "mutants/hosts/staged_blocks/kernel.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {

template <class P>
SharedKernel kernel(std::string name) {
  return block_kernel<P, Forward, Backward>(std::move(name));
}

}  // namespace attestone::inline mutants::staged_blocks::block_program
