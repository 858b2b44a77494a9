// SPDX-License-Identifier: Apache-2.0
// Telling the model's name from the fields.
#include "backends/plugins/declared/declared_numerics.hpp"

#include <algorithm>
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

/// A form of merging and the number of parts say something together alone.
void check_merge(const std::vector<DeclaredWord>& words, const std::string& owner) {
  const auto said = [&](std::string_view name) { return std::ranges::find(words, name, &DeclaredWord::name); };
  const auto form = said("merge.form"), parts = said("merge.parts");
  if (form != words.end() && form->value != "none" && parts == words.end())
    form->refuse_name(owner, "numerics", "merge.parts=N says how many parts of a row are merged; without it, none are");
  if (parts != words.end() && parts->value != "1" && (form == words.end() || form->value == "none"))
    parts->refuse_name(owner, "numerics", "merge.form=FORM says how the parts are merged; without it, none are");
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
    : DeclaredNumerics(declared_words(text), std::move(owner)) {
  if (!model_) check_merge(fields_, owner_);
}

Numerics DeclaredNumerics::on(const Problem& problem, const Numerics& own) const {
  return with_declared(model_ ? model_->numerics(problem) : own, fields_, owner_);
}

}  // namespace attestone::inline backends
