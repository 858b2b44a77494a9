// SPDX-License-Identifier: Apache-2.0
// The definition of docs/rules.md in MPFR, 640 bits.
#include "tests/reference/certified/forward/mpfr_oracle.hpp"

#include <cmath>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"

namespace attestone {
namespace {

constexpr mpfr_prec_t bits = 640;
/// The oracle errs by less than 2^-this of the magnitude of its terms.
constexpr long error_bits = 600;

/// x rounded to nearest even by MPFR's own emulation of narrow formats. As a double; overflow as the format says.
double narrow(mpfr_srcptr x, const DType& dtype) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t narrow;
  mpfr_init2(narrow, dtype.precision());
  // MPFR's significands are in [1/2, 1): exponents are one more than IEEE's.
  mpfr_set_emin(dtype.min_exponent() - dtype.precision() + 2);
  int ternary = mpfr_set(narrow, x, MPFR_RNDN);
  ternary = mpfr_check_range(narrow, ternary, MPFR_RNDN);
  mpfr_subnormalize(narrow, ternary, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  double result = mpfr_get_d(narrow, MPFR_RNDN);
  if (std::fabs(result) > dtype.largest()) result = dtype.has_infinity() ? std::copysign(HUGE_VAL, result) : NAN;
  mpfr_clear(narrow);
  return result;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

struct OracleNumber::State {
  State() {
    mpfr_inits2(bits, value, error, static_cast<mpfr_ptr>(nullptr));
    mpfr_set_zero(error, 1);
  }
  ~State() { mpfr_clears(value, error, static_cast<mpfr_ptr>(nullptr)); }
  mpfr_t value, error;
};

OracleNumber::OracleNumber() : state_(std::make_unique<State>()) {}
OracleNumber::~OracleNumber() = default;

void set(OracleNumber& number, mpfr_srcptr value, mpfr_srcptr magnitude) {
  mpfr_set(number.state()->value, value, MPFR_RNDN);
  mpfr_div_2si(number.state()->error, magnitude, error_bits, MPFR_RNDU);
}

double OracleNumber::distance(double value) const {
  mpfr_t difference;
  mpfr_init2(difference, bits);
  mpfr_sub_d(difference, state_->value, value, MPFR_RNDN);
  const double result = std::fabs(mpfr_get_d(difference, MPFR_RNDA));  // never 0 if there is any
  mpfr_clear(difference);
  return result;
}

bool OracleNumber::may_be_within(double bound, double value) const {
  mpfr_t difference;
  mpfr_init2(difference, bits);
  mpfr_sub_d(difference, state_->value, value, MPFR_RNDN);
  mpfr_abs(difference, difference, MPFR_RNDN);
  mpfr_sub(difference, difference, state_->error, MPFR_RNDN);
  const bool within = mpfr_cmp_d(difference, bound) <= 0;
  mpfr_clear(difference);
  return within && !std::isnan(value) && !std::isnan(bound);
}

bool OracleNumber::is_finer_than(double bound) const {
  constexpr int far = 100;
  mpfr_t least;
  mpfr_init2(least, bits);
  mpfr_mul_2si(least, state_->error, far, MPFR_RNDU);
  const bool finer = mpfr_cmp_d(least, bound) < 0;
  mpfr_clear(least);
  return finer;
}

bool OracleNumber::rounds_to(double candidate, const DType& dtype) const {
  mpfr_t end;
  mpfr_init2(end, bits);
  mpfr_sub(end, state_->value, state_->error, MPFR_RNDN);
  const double lowest = narrow(end, dtype);
  mpfr_add(end, state_->value, state_->error, MPFR_RNDN);
  const double highest = narrow(end, dtype);
  mpfr_clear(end);
  return same(lowest, candidate) || same(highest, candidate) || (lowest <= candidate && candidate <= highest);
}

namespace {

/// s of one pair: scale q.k, softcap, bias.
void score(mpfr_ptr s, const Problem& p, const Inputs& in, const Pair& pair) {
  mpfr_t product;
  mpfr_init2(product, bits);
  mpfr_set_zero(s, 1);
  for (index c = 0; c < p.shape.dim; ++c) {
    mpfr_set_d(product, in.query.view().value(pair.batch, pair.head, pair.query, c), MPFR_RNDN);
    mpfr_mul_d(product, product, in.key.view().value(pair.batch, p.shape.kv_head(pair.head), pair.key, c), MPFR_RNDN);
    mpfr_add(s, s, product, MPFR_RNDN);
  }
  mpfr_mul_d(s, s, p.scale(), MPFR_RNDN);
  if (p.score.softcap()) {
    mpfr_div_d(s, s, *p.score.softcap(), MPFR_RNDN);
    mpfr_tanh(s, s, MPFR_RNDN);
    mpfr_mul_d(s, s, *p.score.softcap(), MPFR_RNDN);
  }
  mpfr_add_d(s, s, Bias(p, in).of(pair), MPFR_RNDN);
  mpfr_clear(product);
}

bool visible(const Problem& p, const Inputs& in, const Pair& pair) {
  return p.visible(pair) && Bias(p, in).of(pair) != -HUGE_VAL;
}

/// Adds p z v of one pair to its row; `weight` is p.
void add_value(OracleRow& row, mpfr_srcptr weight, const Problem& p, const Inputs& in, const Pair& pair) {
  const Dropout dropout(p);
  if (dropout && !dropout.keeps(pair)) return;
  mpfr_t product;
  mpfr_init2(product, bits);
  for (index c = 0; c < p.shape.value_dim; ++c) {
    OracleNumber& out = *row.out[static_cast<std::size_t>(c)];
    const double v = in.value.view().value(pair.batch, p.shape.kv_head(pair.head), pair.key, c);
    mpfr_mul_d(product, weight, v, MPFR_RNDN);
    mpfr_add(out.state()->value, out.state()->value, product, MPFR_RNDN);
    mpfr_abs(product, product, MPFR_RNDN);
    mpfr_div_2si(product, product, error_bits, MPFR_RNDU);
    mpfr_max(out.state()->error, out.state()->error, product, MPFR_RNDU);
  }
  mpfr_clear(product);
}

}  // namespace

OracleRow oracle_row(const Problem& p, const Inputs& in, index batch, index head, index query) {
  OracleRow row;
  row.log_sum_exp = std::make_unique<OracleNumber>();
  row.max_logits = std::make_unique<OracleNumber>();
  for (index c = 0; c < p.shape.value_dim; ++c) row.out.push_back(std::make_unique<OracleNumber>());
  mpfr_t total, top, term, of_keys;
  mpfr_inits2(bits, total, top, term, of_keys, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_inf(of_keys, -1);
  mpfr_set_zero(total, 1);
  for (auto& out : row.out) mpfr_set_zero(out->state()->value, 1);
  if (in.sink && in.sink->view().value(0, head, 0, 0) != -HUGE_VAL) {
    row.has_sink = true;
    mpfr_set_d(top, in.sink->view().value(0, head, 0, 0), MPFR_RNDN);
  }
  for (const bool weigh : {false, true})  // the first round looks for the largest score
    for (index key = 0; key < p.shape.keys; ++key) {
      const Pair pair{batch, head, query, key};
      if (!visible(p, in, pair)) continue;
      score(term, p, in, pair);
      if (!weigh) {
        mpfr_max(of_keys, of_keys, term, MPFR_RNDN);
        if ((row.keys++ == 0 && !row.has_sink) || mpfr_cmp(term, top) > 0) mpfr_set(top, term, MPFR_RNDN);
        continue;
      }
      mpfr_sub(term, term, top, MPFR_RNDN);
      mpfr_exp(term, term, MPFR_RNDN);
      mpfr_add(total, total, term, MPFR_RNDN);
      add_value(row, term, p, in, pair);
    }
  if (row.has_sink) {
    mpfr_set_d(term, in.sink->view().value(0, head, 0, 0), MPFR_RNDN);
    mpfr_sub(term, term, top, MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_add(total, total, term, MPFR_RNDN);
  }
  if (row.keys > 0) {
    mpfr_abs(term, of_keys, MPFR_RNDN);
    mpfr_add_ui(term, term, 1, MPFR_RNDU);
    set(*row.max_logits, of_keys, term);
  }
  if (row.keys > 0 || row.has_sink) {
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_sub_d(term, term, p.dropout, MPFR_RNDN);
    mpfr_mul(term, term, total, MPFR_RNDN);
    for (auto& out : row.out) mpfr_div(out->state()->value, out->state()->value, term, MPFR_RNDN);
    mpfr_log(total, total, MPFR_RNDN);
    mpfr_add(row.log_sum_exp->state()->value, top, total, MPFR_RNDN);
    mpfr_abs(top, top, MPFR_RNDN);
    mpfr_add_ui(top, top, 1, MPFR_RNDU);
    mpfr_div_2si(row.log_sum_exp->state()->error, top, error_bits, MPFR_RNDU);
  }
  mpfr_clears(total, top, term, of_keys, static_cast<mpfr_ptr>(nullptr));
  return row;
}

}  // namespace attestone
