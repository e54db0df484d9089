// Collects common factors in front of parentheses.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "catena/equations.hpp"

namespace catena {
namespace {

using Factors = std::vector<std::pair<int, int>>;

constexpr int deepest = 3;  // levels of nested parentheses

Factors shared(const Factors& a, const Factors& b) {
  Factors out;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].first == b[j].first) {
      out.emplace_back(a[i].first, std::min(a[i].second, b[j].second));
      ++i, ++j;
    } else {
      a[i].first < b[j].first ? ++i : ++j;
    }
  }
  return out;
}

void divide(Factors& factors, const Factors& by) {
  for (const auto& [atom, power] : by)
    for (auto& f : factors)
      if (f.first == atom) f.second -= power;
  std::erase_if(factors, [](const auto& f) { return f.second == 0; });
}

Factors multiplied(Factors a, const Factors& b) {
  for (const auto& [atom, power] : b) {
    const auto place = std::lower_bound(a.begin(), a.end(), std::pair(atom, std::numeric_limits<int>::min()));
    if (place != a.end() && place->first == atom) {
      place->second += power;
    } else {
      a.insert(place, {atom, power});
    }
  }
  return a;
}

// The square root of a term that is a square.
std::optional<Product> root_of(const Product& term) {
  const auto even = [](const auto& f) { return f.second % 2 == 0; };
  if (term.coefficient < 0.0 || !std::all_of(term.factors.begin(), term.factors.end(), even)) return std::nullopt;
  Product root{std::sqrt(term.coefficient), term.factors};
  for (auto& f : root.factors) f.second /= 2;
  return root;
}

// For take_square() below, which replaces x² + y² + 2xy and the like by (x + y)².
// Whether all coefficients, divided by `divisor`, are fractions that a person would write.
bool are_fractions(const Formula& terms, double divisor) {
  return std::all_of(terms.begin(), terms.end(), [&](const Product& term) {
    constexpr double denominators = 24.0;
    const double scaled = denominators * std::abs(term.coefficient / divisor);
    return std::abs(scaled - std::round(scaled)) <= 1e-11 * scaled;
  });
}
// (Σ members)², with a number in front where a person would not write the roots as they are: ½ (x + y)².
Product squared(Formula members) {
  const double first = std::abs(members.front().coefficient);
  if (are_fractions(members, 1.0) || !are_fractions(members, first)) return {1.0, {}, std::move(members), 2};
  for (Product& member : members) member.coefficient /= first;
  double before = first * first;  // the roots were rounded: recovers the original fraction
  constexpr double denominators = 144.0;
  if (const double whole = std::round(before * denominators); std::abs(before * denominators - whole) <= 1e-11 * whole)
    before = whole / denominators;
  return {before, {}, std::move(members), 2};
}
std::optional<Product> take_square(Formula& terms) {
  if (terms.size() > 50) return std::nullopt;  // the square would not be recognizable
  std::map<Factors, std::size_t> place;
  for (std::size_t k = 0; k < terms.size(); ++k) place[terms[k].factors] = k;
  std::vector<std::pair<std::size_t, Product>> roots;
  for (std::size_t k = 0; k < terms.size(); ++k)
    if (const auto root = root_of(terms[k])) roots.emplace_back(k, *root);
  for (std::size_t first = 0; first < roots.size(); ++first) {
    Formula members{roots[first].second};
    std::vector<std::size_t> used{roots[first].first};
    for (std::size_t next = first + 1; next < roots.size(); ++next) {
      Product root = roots[next].second;
      std::vector<std::size_t> cross;
      for (std::size_t m = 0; m < members.size(); ++m) {
        const auto found = place.find(multiplied(members[m].factors, root.factors));
        if (found == place.end()) break;
        const double wanted = 2.0 * members[m].coefficient * root.coefficient;
        const double actual = terms[found->second].coefficient;
        if (m == 0 && wanted * actual < 0.0) root.coefficient = -root.coefficient;
        const double mended = m == 0 ? std::copysign(wanted, actual) : wanted;
        if (std::abs(mended - actual) > 1e-12 * std::abs(actual)) break;
        cross.push_back(found->second);
      }
      if (cross.size() < members.size()) continue;
      members.push_back(std::move(root));
      used.push_back(roots[next].first);
      used.insert(used.end(), cross.begin(), cross.end());
    }
    if (members.size() < 2) continue;
    std::sort(used.begin(), used.end());
    for (auto k = used.rbegin(); k != used.rend(); ++k) terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(*k));
    return squared(std::move(members));
  }
  return std::nullopt;
}

bool same(const Formula& a, const Formula& b, double sign);

bool same(const Product& a, const Product& b, double sign) {
  return a.factors == b.factors && a.power == b.power &&
         std::abs(a.coefficient - sign * b.coefficient) <= 1e-12 * std::abs(a.coefficient) && same(a.sum, b.sum, 1.0) &&
         same(a.other_sum, b.other_sum, 1.0);
}

// a = sign · b, the terms in any order.
bool same(const Formula& a, const Formula& b, double sign) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const Product& x) {
    return std::any_of(b.begin(), b.end(), [&](const Product& y) { return same(x, y, sign); });
  });
}

// The factor that all products share; the number only where integers remain, the sign where all are negative.
template <class Products>
Product common_factor(const Products& products) {
  Product common{1.0, products.front()->factors};
  bool same_size = true, negative = true;
  const double size = std::abs(products.front()->coefficient);
  for (const Product* p : products) {
    common.factors = shared(common.factors, p->factors);
    same_size = same_size && std::abs(std::abs(p->coefficient) - size) <= 1e-12 * size;
    negative = negative && p->coefficient < 0.0;
  }
  common.coefficient = (same_size ? size : 1.0) * (negative ? -1.0 : 1.0);
  return common;
}

class Collector {
 public:
  Collector(const Alphabet& alphabet, const TrigSpace& space) : alphabet_(alphabet), space_(space) {}

  Formula by_rates(Formula terms) const {
    std::map<int, Formula> classes;
    for (Product& term : terms) classes[rate_class(term)].push_back(std::move(term));
    Formula out;
    for (auto& [rate, members] : classes) append(out, collect_sum(std::move(members), 0));
    return out;
  }

 private:
  static void append(Formula& to, Formula from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  const Atom& atom(const std::pair<int, int>& factor) const { return alphabet_[std::size_t(factor.first)]; }
  bool is(const Atom& a, SymbolKind kind) const {
    return a.symbol >= 0 && space_.symbols[std::size_t(a.symbol)].kind == kind;
  }

  // Terms of each acceleration, then those with speeds, then the rest.
  int rate_class(const Product& term) const {
    int rate = std::numeric_limits<int>::max();
    for (const auto& f : term.factors) {
      if (is(atom(f), SymbolKind::acceleration)) return atom(f).symbol;
      for (const SymbolKind kind : {SymbolKind::speed, SymbolKind::sign, SymbolKind::decay})
        if (is(atom(f), kind)) rate = std::numeric_limits<int>::max() - 1;
    }
    return rate;
  }

  // Collects a sum whose terms may all share one factor.
  Formula collect_sum(Formula terms, int depth) const {
    if (terms.size() < 2) return terms;
    std::vector<const Product*> pointers;
    for (const Product& term : terms) pointers.push_back(&term);
    Product common = common_factor(pointers);
    const bool worth = !common.factors.empty() || common.coefficient != 1.0;
    if (!worth || depth >= deepest) return group(std::move(terms), depth);
    for (Product& term : terms) {
      divide(term.factors, common.factors);
      term.coefficient /= common.coefficient;
    }
    common.sum = group(std::move(terms), depth + 1);
    if (common.sum.size() == 1) {  // the whole sum is one square
      Product inner = std::move(common.sum.front());
      inner.coefficient *= common.coefficient;
      inner.factors = multiplied(inner.factors, common.factors);
      return {std::move(inner)};
    }
    const bool sign_only = common.factors.empty() && common.coefficient == -1.0;
    const auto nested = [](const Product& p) { return !p.sum.empty(); };
    if (!sign_only || std::none_of(common.sum.begin(), common.sum.end(), nested)) return {std::move(common)};
    for (Product& term : common.sum) term.coefficient = -term.coefficient;
    return std::move(common.sum);
  }

  // Splits off the terms that contain the best factor and returns them as one product, followed by the rest.
  Formula group(Formula terms, int depth) const {
    Formula out;
    while (auto square = take_square(terms)) {
      square->sum = in_order(std::move(square->sum));
      out.push_back(*std::move(square));
    }
    while (terms.size() > 1 && depth < deepest) {
      const int factor = best_factor(terms);
      if (factor < 0) break;
      const auto has = [&](const Product& term) {
        return std::any_of(term.factors.begin(), term.factors.end(), [&](const auto& f) { return f.first == factor; });
      };
      const auto middle = std::stable_partition(terms.begin(), terms.end(), [&](const Product& t) { return !has(t); });
      append(out, collect_sum(Formula(std::make_move_iterator(middle), std::make_move_iterator(terms.end())), depth));
      terms.erase(middle, terms.end());
    }
    while (depth < deepest && take_equal_numbers(terms, out)) {
    }
    append(out, std::move(terms));
    while (depth < deepest && join_equal_sums(out, depth)) {
    }
    while (depth < deepest && join_masses(out)) {
    }
    return in_order(std::move(out));
  }

  // x (a + b) + y (a + b) as (x + y) (a + b).
  bool join_equal_sums(Formula& terms, int depth) const {
    const auto can_join = [](const Product& p) {
      return p.sum.size() > 1 && p.sum.size() < 30 && p.power == 1 && p.other_sum.empty();
    };
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (!can_join(terms[i])) continue;
      const Formula sum = terms[i].sum;
      Formula before;
      std::vector<bool> joined(terms.size(), false);
      for (std::size_t j = i; j < terms.size(); ++j)
        for (const double sign : {1.0, -1.0})
          if (!joined[j] && can_join(terms[j]) && same(sum, terms[j].sum, sign)) {
            joined[j] = true;
            before.push_back({sign * terms[j].coefficient, terms[j].factors});
          }
      if (before.size() < 2) continue;
      std::size_t k = 0;
      std::erase_if(terms, [&](const Product&) { return joined[k++]; });
      Formula collected = collect_sum(std::move(before), depth + 1);
      Product product{1.0, {}, sum, 1, {}};
      if (collected.size() == 1) {  // one factor in front of all of them
        product = {collected[0].coefficient, collected[0].factors, sum, 1, std::move(collected[0].sum)};
      } else {
        product.other_sum = std::move(collected);
      }
      terms.push_back(std::move(product));
      return true;
    }
    return false;
  }

  // The index of the only mass among a product's factors; -1: it has none, a higher power of one, or several.
  int place_of_mass(const Product& p) const {
    int place = -1;
    for (std::size_t k = 0; k < p.factors.size(); ++k) {
      if (!is(atom(p.factors[k]), SymbolKind::mass)) continue;
      if (place >= 0 || p.factors[k].second != 1) return -1;
      place = static_cast<int>(k);
    }
    return place;
  }

  // m3 a² + m4 a² as a² (m3 + m4), m3 (a + b)² + m4 (a + b)² as (m3 + m4) (a + b)²: products that differ only in their
  // mass. Where there are several of each, join_equal_sums has handled them.
  bool join_masses(Formula& terms) const {
    const auto without_mass = [&](Product p) {
      p.factors.erase(p.factors.begin() + place_of_mass(p));
      p.coefficient = 1.0;
      return p;
    };
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (place_of_mass(terms[i]) < 0 || !terms[i].other_sum.empty()) continue;
      Product rest = without_mass(terms[i]);
      if (rest.factors.empty() && rest.sum.empty()) continue;  // m3 + m4 is a sum already
      Formula masses;
      std::vector<bool> joined(terms.size(), false);
      for (std::size_t j = i; j < terms.size(); ++j) {
        const int place = place_of_mass(terms[j]);
        if (place < 0 || !same(rest, without_mass(terms[j]), 1.0)) continue;
        joined[j] = true;
        masses.push_back({terms[j].coefficient, {terms[j].factors[std::size_t(place)]}});
      }
      if (masses.size() < 2) continue;
      std::vector<const Product*> pointers;
      for (const Product& mass : masses) pointers.push_back(&mass);
      rest.coefficient = common_factor(pointers).coefficient;
      for (Product& mass : masses) mass.coefficient /= rest.coefficient;
      (rest.sum.empty() ? rest.sum : rest.other_sum) = in_order(std::move(masses));
      std::size_t k = 0;
      std::erase_if(terms, [&](const Product&) { return joined[k++]; });
      terms.push_back(std::move(rest));
      return true;
    }
    return false;
  }

  // 0.1357 x + 0.1357 y as 0.1357 (x + y): numbers with many digits are written once.
  bool take_equal_numbers(Formula& terms, Formula& out) const {
    std::vector<double> sizes;
    for (const Product& term : terms) sizes.push_back(std::abs(term.coefficient));
    for (const double size : sizes) {
      if (std::abs(1000.0 * size - std::round(1000.0 * size)) < 1e-9) continue;
      const auto differs = [size](const Product& p) { return std::abs(std::abs(p.coefficient) - size) > 1e-12 * size; };
      const auto middle = std::stable_partition(terms.begin(), terms.end(), differs);
      if (terms.end() - middle < 2) continue;
      Product product{size, {}, Formula(middle, terms.end())};
      terms.erase(middle, terms.end());
      const auto negative = [](const Product& p) { return p.coefficient < 0.0; };
      if (std::all_of(product.sum.begin(), product.sum.end(), negative)) product.coefficient = -size;
      for (Product& term : product.sum) term.coefficient /= product.coefficient;
      product.sum = in_order(std::move(product.sum));
      out.push_back(std::move(product));
      return true;
    }
    return false;
  }

  Formula in_order(Formula terms) const {
    std::vector<std::pair<Key, std::size_t>> order;
    for (std::size_t k = 0; k < terms.size(); ++k) order.emplace_back(key(terms[k]), k);
    std::sort(order.begin(), order.end());
    Formula sorted;
    for (const auto& [k, index] : order) sorted.push_back(std::move(terms[index]));
    const bool minus_first = sorted.size() == 2 && sorted[0].coefficient < 0.0 && sorted[1].coefficient > 0.0;
    if (minus_first) std::swap(sorted[0], sorted[1]);
    return sorted;
  }

  // Lengths are factored out of a whole sum, not out of some of its terms: a² + b² + 2ab c, not a (a + 2b c) + b².
  bool splits_sums(const Atom& a) const {
    return !is(a, SymbolKind::length) && !is(a, SymbolKind::com) && !is(a, SymbolKind::gravity);
  }

  // The mass that most terms share, else the factor that most terms share; -1: none occurs in two terms.
  int best_factor(const Formula& terms) const {
    std::map<int, int> count;
    for (const Product& term : terms)
      for (const auto& [a, power] : term.factors) ++count[a];
    int best = -1;
    std::pair<bool, int> score{false, 1};
    for (const auto& [a, n] : count) {
      const std::pair<bool, int> own{is(alphabet_[std::size_t(a)], SymbolKind::mass), n};
      if (n >= 2 && own > score && splits_sums(alphabet_[std::size_t(a)])) best = a, score = own;
    }
    return best;
  }

  // By mass, terms without mass last; fewer sines and cosines first; then alphabetical, high powers first.
  using Key = std::tuple<int, int, std::vector<std::pair<int, int>>>;
  Key key(const Product& product) const {
    int mass = std::numeric_limits<int>::max(), turns = 0;
    std::vector<std::pair<int, int>> word;
    const Factors& factors =
        product.factors.empty() && !product.sum.empty() ? product.sum.front().factors : product.factors;
    for (const auto& f : factors) {
      if (is(atom(f), SymbolKind::mass)) mass = std::min(mass, atom(f).symbol);
      if (atom(f).symbol < 0) turns += f.second;
      word.emplace_back(f.first, -f.second);
    }
    for (const Formula* sum : {&product.sum, &product.other_sum}) mass = std::min(mass, first_of_masses(*sum));
    return {mass, turns, word};
  }

  // The first mass of a sum that consists only of masses.
  int first_of_masses(const Formula& sum) const {
    int first = std::numeric_limits<int>::max();
    for (const Product& p : sum) {
      if (p.factors.size() != 1 || place_of_mass(p) != 0 || !p.sum.empty()) return std::numeric_limits<int>::max();
      first = std::min(first, atom(p.factors.front()).symbol);
    }
    return first;
  }

  const Alphabet& alphabet_;
  const TrigSpace& space_;
};

}  // namespace

Product take_common_factor(std::vector<Formula>& formulas) {
  std::vector<Product*> products;
  for (Formula& formula : formulas)
    for (Product& product : formula) products.push_back(&product);
  if (products.empty()) return {};
  Product common = common_factor(products);
  common.coefficient = std::abs(common.coefficient);
  if (common.factors.empty()) return {};
  for (Product* product : products) {
    divide(product->factors, common.factors);
    product->coefficient /= common.coefficient;
  }
  return common;
}

Formula collect(Formula terms, const Alphabet& alphabet, const TrigSpace& space) {
  return Collector(alphabet, space).by_rates(std::move(terms));
}

double evaluate(const Formula& formula, const Alphabet& alphabet, std::span<const double> symbols,
                std::span<const double> angles) {
  double total = 0.0;
  for (const Product& product : formula) {
    double value = product.coefficient;
    for (const auto& [which, power] : product.factors) {
      const Atom& atom = alphabet[std::size_t(which)];
      double base_value = 0.0;
      if (atom.symbol >= 0) {
        base_value = symbols[std::size_t(atom.symbol)];
      } else {
        double angle = 0.0;
        for (std::size_t k = 0; k < atom.joints.size(); ++k)
          angle += atom.multiple[k] * angles[std::size_t(atom.joints[k])];
        base_value = atom.sine ? std::sin(angle) : std::cos(angle);
      }
      for (int p = 0; p < power; ++p) value *= base_value;
    }
    const double sum = product.sum.empty() ? 1.0 : evaluate(product.sum, alphabet, symbols, angles);
    for (int p = 0; p < product.power; ++p) value *= sum;
    if (!product.other_sum.empty()) value *= evaluate(product.other_sum, alphabet, symbols, angles);
    total += value;
  }
  return total;
}

}  // namespace catena
