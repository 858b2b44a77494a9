// SPDX-License-Identifier: Apache-2.0
// Telling the model's name from the fields.
#include "backends/plugins/declared/declared_numerics.hpp"

#include <utility>

#include "backends/catalogue.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

SharedKernel model_of(const DeclaredWord& word, const std::string& owner) {
  const std::string name = word.value.substr(0, word.value.find(':'));
  if (!Registry<KernelEntry>::find(name))
    word.refuse_value(owner, "numerics", did_you_mean(name, Registry<KernelEntry>::names()));
  try {
    return make_kernel(word.value);
  } catch (const UserError& error) {
    throw error.within(owner);
  }
}

}  // namespace

DeclaredNumerics::DeclaredNumerics(const std::vector<DeclaredWord>& words, std::string owner)
    : owner_(std::move(owner)) {
  for (const DeclaredWord& word : words)
    if (word.name != model_word)
      fields_.push_back(word);
    else if (model_)
      word.refuse_name(owner_, "numerics", "once");
    else
      model_ = model_of(word, owner_);
  with_declared(Numerics{}, fields_, owner_);
}

DeclaredNumerics::DeclaredNumerics(std::string_view text, std::string owner)
    : DeclaredNumerics(declared_words(text), std::move(owner)) {}

Numerics DeclaredNumerics::on(const Problem& problem, const Numerics& own) const {
  return with_declared(model_ ? model_->numerics(problem) : own, fields_, owner_);
}

}  // namespace attestone::inline backends
