// Writes canonical polynomials as sums of products; two sines or cosines of a group become one product where their
// coefficients allow it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "catena/equations.hpp"

namespace catena {
namespace {

using Monomial = TrigPolynomial::Monomial;

constexpr int trig_rank = 100 + static_cast<int>(SymbolKind::position);  // after positions, before speeds
int rank_of(SymbolKind kind) { return static_cast<int>(kind) + (kind > SymbolKind::position ? 200 : 0); }

struct Angle {
  std::vector<int> factors;
  bool sine = false;
};

struct Term {
  double coefficient = 0.0;
  Monomial monomial;         // without the factors in `paired`
  std::vector<Atom> paired;  // factors that resulted from pairing
};

Atom atom_of(const std::vector<int>& angle, bool sine) {
  Atom atom{trig_rank, -1, {}, {}, sine};
  for (std::size_t k = 0; k < angle.size(); ++k)
    if (angle[k] != 0) {
      atom.joints.push_back(static_cast<int>(k));
      atom.multiple.push_back(angle[k]);
    }
  return atom;
}

class Pairing {
 public:
  explicit Pairing(const TrigSpace& space)
      : space_(space), first_angle_(space.symbols.size()), first_group_(first_angle_ + space.angles()) {}

  // Replaces terms of group g by products where they can be paired.
  void pair_group(std::vector<Term>& terms, int g) const {
    std::map<std::pair<Monomial, std::vector<Atom>>, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < terms.size(); ++i) alike[{without(terms[i].monomial, g), terms[i].paired}].push_back(i);
    std::vector<Term> out;
    for (const auto& [rest, members] : alike) {
      std::vector<bool> done(members.size(), false);
      for (std::size_t i = 0; i < members.size(); ++i) {
        for (std::size_t j = i + 1; j < members.size() && !done[i]; ++j)
          if (!done[j] && try_pair(terms[members[i]], terms[members[j]], g, out)) done[i] = done[j] = true;
        if (!done[i]) out.push_back(terms[members[i]]);
      }
    }
    terms = std::move(out);
  }

 private:
  bool in_group(std::size_t k, int g) const { return space_.group[k] == g; }

  Monomial without(Monomial m, int g) const {
    for (std::size_t k = 0; k < space_.angles(); ++k)
      if (in_group(k, g)) m[first_angle_ + k] = 0;
    m[first_group_ + std::size_t(g)] = 0;
    return m;
  }

  Angle angle_of(const Monomial& m, int g) const {
    Angle angle{std::vector<int>(space_.angles(), 0), m[first_group_ + std::size_t(g)] != 0};
    for (std::size_t k = 0; k < space_.angles(); ++k)
      if (in_group(k, g)) angle.factors[k] = int(static_cast<signed char>(m[first_angle_ + k]));
    return angle;
  }

  // With u = (x + y)/2 and v = (x - y)/2:
  //   cos x + cos y =  2 cos u cos v      sin x + sin y = 2 sin u cos v
  //   cos x - cos y = -2 sin u sin v      sin x - sin y = 2 cos u sin v
  bool try_pair(const Term& a, const Term& b, int g, std::vector<Term>& out) const {
    const double size = std::abs(a.coefficient);
    if (std::abs(size - std::abs(b.coefficient)) > 1e-12 * size) return false;
    const Angle x = angle_of(a.monomial, g), y = angle_of(b.monomial, g);
    if (x.sine != y.sine) return false;
    std::vector<int> u(x.factors.size()), v(x.factors.size());
    for (std::size_t k = 0; k < u.size(); ++k) {
      if ((x.factors[k] + y.factors[k]) % 2 != 0) return false;
      u[k] = (x.factors[k] + y.factors[k]) / 2;
      v[k] = (x.factors[k] - y.factors[k]) / 2;
    }
    const bool plus = (a.coefficient > 0.0) == (b.coefficient > 0.0);
    const bool sine_u = x.sine == plus, sine_v = !plus;
    double coefficient = 2.0 * a.coefficient * (!x.sine && !plus ? -1.0 : 1.0);
    for (auto [angle, sine] : {std::pair{&u, sine_u}, std::pair{&v, sine_v}}) {
      const auto first = std::find_if(angle->begin(), angle->end(), [](int f) { return f != 0; });
      if (first == angle->end()) return false;  // x = ±y, which does not occur in canonical terms
      if (*first > 0) continue;
      for (int& f : *angle) f = -f;
      if (sine) coefficient = -coefficient;
    }
    Term merged{coefficient, without(a.monomial, g), a.paired};
    merged.paired.push_back(atom_of(u, sine_u));
    merged.paired.push_back(atom_of(v, sine_v));
    std::sort(merged.paired.begin(), merged.paired.end());
    out.push_back(std::move(merged));
    return true;
  }

  const TrigSpace& space_;
  std::size_t first_angle_, first_group_;
};

std::vector<Term> paired_terms(const TrigPolynomial& polynomial, const TrigSpace& space) {
  std::vector<Term> terms;
  for (const auto& [monomial, c] : polynomial.terms()) terms.push_back({c.value, monomial, {}});
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.monomial < b.monomial; });
  const Pairing pairing(space);
  for (int g = 0; g < space.groups; ++g) pairing.pair_group(terms, g);
  return terms;
}

// All factors of the term; may change its coefficient.
std::map<Atom, int> factors_of(Term& term, const TrigSpace& space) {
  std::map<Atom, int> factors;
  for (std::size_t k = 0; k < space.symbols.size(); ++k)
    if (term.monomial[k] != 0) factors[Atom{rank_of(space.symbols[k].kind), static_cast<int>(k)}] += term.monomial[k];
  const std::size_t first_angle = space.symbols.size(), first_group = first_angle + space.angles();
  for (int g = 0; g < space.groups; ++g) {
    std::vector<int> angle(space.angles(), 0);
    for (std::size_t k = 0; k < space.angles(); ++k)
      if (space.group[k] == g) angle[k] = int(static_cast<signed char>(term.monomial[first_angle + k]));
    const bool sine = term.monomial[first_group + std::size_t(g)] != 0;
    const bool even = std::all_of(angle.begin(), angle.end(), [](int f) { return f % 2 == 0; });
    const bool turns = std::any_of(angle.begin(), angle.end(), [](int f) { return f != 0; });
    if (sine && even) {  // sin 2x = 2 sin x cos x
      for (int& f : angle) f /= 2;
      factors[atom_of(angle, true)] += 1;
      factors[atom_of(angle, false)] += 1;
      term.coefficient *= 2.0;
    } else if (turns) {
      factors[atom_of(angle, sine)] += 1;
    }
  }
  for (const Atom& atom : term.paired) factors[atom] += 1;
  return factors;
}

}  // namespace

std::vector<Formula> written_out(std::span<const TrigPolynomial> polynomials, const TrigSpace& space,
                                 Alphabet& alphabet) {
  std::vector<std::vector<std::pair<double, std::map<Atom, int>>>> all;
  std::map<Atom, int> number;
  for (const TrigPolynomial& p : polynomials) {
    auto& formula = all.emplace_back();
    for (Term& term : paired_terms(p, space)) {
      std::map<Atom, int> factors = factors_of(term, space);
      formula.emplace_back(term.coefficient, std::move(factors));
      for (const auto& [atom, power] : formula.back().second) number[atom] = 0;
    }
  }
  alphabet.clear();
  for (auto& [atom, n] : number) {
    n = static_cast<int>(alphabet.size());
    alphabet.push_back(atom);
  }
  std::vector<Formula> formulas;
  for (const auto& terms : all) {
    Formula& formula = formulas.emplace_back();
    for (const auto& [coefficient, factors] : terms) {
      Product product{coefficient};
      for (const auto& [atom, power] : factors) product.factors.emplace_back(number[atom], power);
      formula.push_back(std::move(product));
    }
  }
  return formulas;
}

}  // namespace catena
