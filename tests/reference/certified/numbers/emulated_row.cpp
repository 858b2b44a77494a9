// SPDX-License-Identifier: Apache-2.0
// The exact answer of an emulated row, the computed one, and their distance.
#include "tests/reference/certified/numbers/emulated_row.hpp"

#include <cmath>
#include <fmt/format.h>

namespace attestone {

CertifiedShares shares(const char* name, const EmulatedRow& row, const RowCertificate& certificate) {
  Real exact, exact_total, sum, total, magnitude;
  for (std::size_t key = 0; key < row.values.size(); ++key) {
    exact += row.exact[key] * row.values[key], exact_total += row.exact[key];
    sum += row.computed[key] * row.values[key], total += row.computed[key];
    magnitude += row.computed[key] * std::fabs(row.values[key]);
  }
  magnitude *= Real(row.value_factor) / total;
  total *= Real(1) + row.of_total;
  const Real out = Real(row.value_factor) * (sum + row.of_sum) / total * (Real(1) + row.of_division);
  const auto error = static_cast<double>(abs(out - Real(row.value_factor) * exact / exact_total));
  const double bound = certificate.out(static_cast<double>(magnitude), static_cast<double>(abs(out)));
  const double of_log = std::fabs(std::log1p(static_cast<double>(total / exact_total - 1)));
  const CertifiedShares found{error / bound, of_log == 0 ? 0 : of_log / certificate.by_log_sum_exp};
  fmt::print("  {:18} out {:.4f} of its bound, log_sum_exp {:.4f}\n", name, found.out, found.log_sum_exp);
  return found;
}

EmulatedRow moved_weights(int first, int rest, double value_of_rest, const Real& up, const Real& down) {
  EmulatedRow row;
  for (int key = 0; key < first + rest; ++key) {
    row.exact.emplace_back(1);
    row.computed.push_back(exp(key < first ? up : down));
    row.values.push_back(key < first ? 1 : value_of_rest);
  }
  return row;
}

}  // namespace attestone
