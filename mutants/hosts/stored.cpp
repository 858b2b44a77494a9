// SPDX-License-Identifier: Apache-2.0
// From answers in f32 to stored ones.
#include "mutants/hosts/stored.hpp"

#include "backends/changed_kernel.hpp"
#include "mutants/hosts/tiled.hpp"

namespace attestone::inline mutants {
namespace {

/// The problem with answers in f32.
Problem in_f32(const Problem& problem) {
  Problem wide = problem;
  wide.output = dtype("f32");
  return wide;
}

void store_all(const Store& store, const KernelInputs& inputs, const Problem& problem, TensorName tensor,
               const ConstView& from, const View& to) {
  for (index b = 0; b < to.extents()[0]; ++b)
    for (index h = 0; h < to.extents()[1]; ++h)
      for (index r = 0; r < to.rows(b); ++r)
        for (index c = 0; c < to.extents()[3]; ++c)
          to.set(b, h, r, c, store({inputs, problem, tensor, {b, h, r, c}, from.value(b, h, r, c)}));
}

void forward(const Store& store, const Kernel& honest, const Problem& problem, const Arguments& arguments,
             Device& device) {
  const Problem wide = in_f32(problem);
  Outputs outputs(wide);
  Arguments own = arguments;
  own.out = outputs.out.view();
  honest.forward(wide, own, device);
  store_all(store, arguments, problem, TensorName::out, outputs.out.view(), arguments.out);
}

void backward(const Store& store, const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
              Device& device) {
  const Problem wide = in_f32(problem);
  Gradients gradients(wide);
  BackwardArguments own = arguments;
  own.dquery = gradients.query.view(), own.dkey = gradients.key.view(), own.dvalue = gradients.value.view();
  if (own.dbias) own.dbias = gradients.bias->view();
  if (own.dsink) own.dsink = gradients.sink->view();
  honest.backward(wide, own, device);
  store_all(store, arguments, problem, TensorName::dquery, own.dquery, arguments.dquery);
  store_all(store, arguments, problem, TensorName::dkey, own.dkey, arguments.dkey);
  store_all(store, arguments, problem, TensorName::dvalue, own.dvalue, arguments.dvalue);
  if (own.dbias) store_all(store, arguments, problem, TensorName::dbias, *own.dbias, *arguments.dbias);
  if (own.dsink) store_all(store, arguments, problem, TensorName::dsink, *own.dsink, *arguments.dsink);
}

}  // namespace

SharedKernel storing_kernel(std::string name, const Store& store) {
  return changed(tiled_twin(),
                 {.name = std::move(name),
                  .forward = [store](const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                     Device& device) { forward(store, honest, problem, arguments, device); },
                  .backward = [store](const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                      Device& device) { backward(store, honest, problem, arguments, device); }});
}

SharedKernel a_thousandth_long(std::string name, TensorName tensor, const std::function<bool(const Extents&)>& where) {
  return storing_kernel(std::move(name), [=](const StoredElement& element) {
    const bool longer = element.tensor == tensor && (!where || where(element.at));
    return longer ? 1.001 * element.value : element.value;
  });
}

}  // namespace attestone::inline mutants
