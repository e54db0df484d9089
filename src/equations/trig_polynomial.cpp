#include "catena/equations.hpp"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

using Monomial = TrigPolynomial::Monomial;

Monomial no_angles(const TrigSpace& space) {
  return Monomial(space.symbols.size() + space.angles() + std::size_t(space.groups), '\0');
}

char exponent(int value) {
  if (value < -100 || value > 100) throw TooManyTerms("a power above 100");
  return static_cast<char>(value);
}

// The factor of a monomial that belongs to one group: cos or sin of an integer combination of its angles.
struct GroupFactor {
  Monomial angles;  // all bytes except this group's angles are 0
  bool sine = false;
  double sign = 1.0;

  bool zero_angle() const {
    return std::all_of(angles.begin(), angles.end(), [](char c) { return c == 0; });
  }
  // cos(-x) = cos x, sin(-x) = -sin x: makes the first nonzero factor positive.
  void normalize() {
    const auto first = std::find_if(angles.begin(), angles.end(), [](char c) { return c != 0; });
    if (first == angles.end() || static_cast<signed char>(*first) > 0) return;
    for (char& c : angles) c = exponent(-static_cast<signed char>(c));
    if (sine) sign = -sign;
  }
};

// cos or sin of a + b, or of a - b.
GroupFactor combined(const Monomial& a, const Monomial& b, bool subtract, bool sine, double sign) {
  GroupFactor f{a, sine, sign};
  for (std::size_t k = 0; k < a.size(); ++k) {
    const int x = int(static_cast<signed char>(a[k])), y = int(static_cast<signed char>(b[k]));
    f.angles[k] = exponent(subtract ? x - y : x + y);
  }
  f.normalize();
  return f;
}

// Multiplies two monomials; each group that has a cos or sin in both doubles the number of results.
class Multiplier {
 public:
  explicit Multiplier(const TrigSpace& space)
      : first_angle_(space.symbols.size()),
        first_group_(first_angle_ + space.angles()),
        members_(std::size_t(space.groups)) {
    for (std::size_t k = 0; k < space.angles(); ++k)
      if (space.group[k] >= 0) members_[std::size_t(space.group[k])].push_back(first_angle_ + k);
  }

  template <class Emit>
  void multiply(const Monomial& a, const Monomial& b, Emit&& emit) {
    results_.assign(1, {Monomial(a.size(), '\0'), 1.0});
    for (std::size_t k = 0; k < first_angle_; ++k) results_[0].monomial[k] = exponent(a[k] + b[k]);
    for (std::size_t g = 0; g < members_.size(); ++g) multiply_group(a, b, g);
    for (const Result& r : results_) emit(r.monomial, r.factor);
  }

 private:
  struct Result {
    Monomial monomial;
    double factor;
  };

  Monomial angles_of(const Monomial& m, std::size_t g) const {
    Monomial angles(members_[g].size(), '\0');
    for (std::size_t k = 0; k < angles.size(); ++k) angles[k] = m[members_[g][k]];
    return angles;
  }
  void write(Result& result, std::size_t g, const GroupFactor& f, double factor) const {
    for (std::size_t k = 0; k < f.angles.size(); ++k) result.monomial[members_[g][k]] = f.angles[k];
    result.monomial[first_group_ + g] = f.sine ? 1 : 0;
    result.factor *= factor * f.sign;
  }

  void multiply_group(const Monomial& a, const Monomial& b, std::size_t g) {
    const GroupFactor x{angles_of(a, g), a[first_group_ + g] != 0}, y{angles_of(b, g), b[first_group_ + g] != 0};
    if (x.zero_angle() || y.zero_angle()) {  // a zero angle is cos 0 = 1: sin 0 is never stored
      for (Result& r : results_) write(r, g, x.zero_angle() ? y : x, 1.0);
      return;
    }
    // cos x cos y = ½ cos(x - y) + ½ cos(x + y)      sin x sin y = ½ cos(x - y) - ½ cos(x + y)
    // sin x cos y = ½ sin(x + y) + ½ sin(x - y)      cos x sin y = ½ sin(x + y) - ½ sin(x - y)
    const bool sine = x.sine != y.sine;
    const double sum_sign = x.sine && y.sine ? -1.0 : 1.0;
    const double difference_sign = !x.sine && y.sine ? -1.0 : 1.0;
    const GroupFactor sum = combined(x.angles, y.angles, false, sine, sum_sign);
    const GroupFactor difference = combined(x.angles, y.angles, true, sine, difference_sign);
    std::vector<Result> next;
    for (const Result& r : results_)
      for (const GroupFactor* f : {&sum, &difference}) {
        if (f->sine && f->zero_angle()) continue;  // sin 0
        next.push_back(r);
        write(next.back(), g, *f, 0.5);
      }
    results_ = std::move(next);
  }

  std::size_t first_angle_, first_group_;
  std::vector<std::vector<std::size_t>> members_;  // of each group: the indices of its angles in a monomial
  std::vector<Result> results_;
};

}  // namespace

int TrigSpace::find(const std::string& name) const {
  const auto found = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) { return s.name == name; });
  return found == symbols.end() ? -1 : static_cast<int>(found - symbols.begin());
}

bool TrigPolynomial::Coefficient::is_rounding() const { return std::abs(value) <= 1e-13 * magnitude; }

TrigPolynomial TrigPolynomial::constant(const TrigSpace& space, double value) {
  TrigPolynomial p;
  if (value != 0.0) p.terms_[no_angles(space)] = {value, std::abs(value)};
  return p;
}

TrigPolynomial TrigPolynomial::symbol(const TrigSpace& space, std::size_t which) {
  Monomial m = no_angles(space);
  m[which] = 1;
  TrigPolynomial p;
  p.terms_[m] = {1.0, 1.0};
  return p;
}

std::pair<TrigPolynomial, TrigPolynomial> TrigPolynomial::cosine_and_sine(const TrigSpace& space,
                                                                          std::span<const int> factors, double offset) {
  const auto snapped = [](double x) { return std::abs(x) < 1e-15 ? 0.0 : x; };
  TermLimit unlimited;
  TrigPolynomial c = constant(space, snapped(std::cos(offset))), s = constant(space, snapped(std::sin(offset)));
  const std::size_t first_angle = space.symbols.size(), first_group = first_angle + space.angles();
  for (int g = 0; g < space.groups; ++g) {  // cos(x + y), sin(x + y), where y is the sum of one group's angles
    GroupFactor f{no_angles(space), true};
    for (std::size_t k = 0; k < space.angles(); ++k)
      if (space.group[k] == g) f.angles[first_angle + k] = exponent(factors[k]);
    if (f.zero_angle()) continue;
    f.normalize();
    TrigPolynomial cos_y, sin_y;
    cos_y.terms_[f.angles] = {1.0, 1.0};
    f.angles[first_group + std::size_t(g)] = 1;
    sin_y.terms_[f.angles] = {f.sign, 1.0};
    TrigPolynomial next_c = c.times(cos_y, space, unlimited), next_s = s.times(cos_y, space, unlimited);
    next_c.add(s.times(sin_y, space, unlimited), -1.0);
    next_s.add(c.times(sin_y, space, unlimited));
    c = std::move(next_c);
    s = std::move(next_s);
  }
  return {c, s};
}

void TrigPolynomial::add(const TrigPolynomial& other, double factor) {
  for (const auto& [monomial, c] : other.terms_) {
    Coefficient& sum = terms_[monomial];
    sum.value += factor * c.value;
    sum.magnitude += std::abs(factor) * c.magnitude;
  }
  drop_rounding();
}

TrigPolynomial TrigPolynomial::times(const TrigPolynomial& other, const TrigSpace& space, TermLimit& limit) const {
  TrigPolynomial product;
  const std::size_t work = terms_.size() * other.terms_.size();
  if (work > limit.work) throw TooManyTerms("too many products of terms");
  limit.work -= work;
  Multiplier multiplier(space);
  for (const auto& [ma, a] : terms_)
    for (const auto& [mb, b] : other.terms_)
      multiplier.multiply(ma, mb, [&, &ca = a, &cb = b](const Monomial& monomial, double factor) {
        Coefficient& sum = product.terms_[monomial];
        sum.value += factor * ca.value * cb.value;
        sum.magnitude += std::abs(factor) * ca.magnitude * cb.magnitude;
      });
  product.drop_rounding();
  if (product.terms_.size() > limit.terms)
    throw TooManyTerms("a formula of more than " + std::to_string(limit.terms) + " terms");
  return product;
}

void TrigPolynomial::drop_below(double size) {
  std::erase_if(terms_, [&](const auto& term) { return std::abs(term.second.value) < size; });
}

double TrigPolynomial::largest() const {
  double size = 0.0;
  for (const auto& [monomial, c] : terms_) size = std::max(size, std::abs(c.value));
  return size;
}

bool TrigPolynomial::is_constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.find_first_not_of('\0') == Monomial::npos);
}

double TrigPolynomial::constant_term(const TrigSpace& space) const {
  const auto found = terms_.find(no_angles(space));
  return found == terms_.end() ? 0.0 : found->second.value;
}

void TrigPolynomial::drop_rounding() {
  std::erase_if(terms_, [](const auto& term) { return term.second.is_rounding(); });
}

}  // namespace catena
