#include "codegen/recorded_loops.hpp"

#include <algorithm>
#include <utility>

#include "catena/model/indices.hpp"

namespace catena {

ProgramLoops::Table RecordedLoops::table_of(const std::vector<Expr>& entries) {
  ProgramLoops::Table table;
  for (const Expr& entry : entries) table.push_back(entry.in(program_.graph));
  return table;
}

ProgramLoops& RecordedLoops::loops_after(const std::vector<const ProgramLoops::Table*>& read, int joints) {
  const auto waits = [&](const ProgramLoops& loops) {
    return std::any_of(read.begin(), read.end(), [&](const ProgramLoops::Table* table) {
      return std::any_of(table->begin(), table->end(), [&](NodeRef entry) {
        return !program_.graph.is_constant(entry) && entry.node() >= loops.first_node;
      });
    });
  };
  if (program_.loops.empty() || program_.loops.back().joints != joints || waits(program_.loops.back())) {
    program_.loops.emplace_back();
    program_.loops.back().joints = joints;
    program_.loops.back().first_node = static_cast<std::uint32_t>(program_.graph.size());
  }
  return program_.loops.back();
}

// Tables that are the same are filled once.
std::size_t RecordedLoops::place(ProgramLoops& loops, ProgramLoops::Table table) {
  const auto found = std::find(loops.tables.begin(), loops.tables.end(), table);
  const auto at = static_cast<std::size_t>(found - loops.tables.begin());
  if (found == loops.tables.end()) loops.tables.push_back(std::move(table));
  return at;
}

std::vector<Expr> RecordedLoops::results(ProgramLoops& loops, std::size_t count) {
  std::vector<Expr> symbols;
  for (std::size_t k = 0; k < count; ++k)
    symbols.push_back(Expr::input(program_.graph, "found[" + std::to_string(loops.results + k) + "]"));
  loops.results += count;
  return symbols;
}

std::vector<Expr> RecordedLoops::record(const LoopedProducts& products) {
  ProgramLoops::Table tables[] = {table_of(products.below.left), table_of(products.below.right),
                                  table_of(products.above.left), table_of(products.above.right)};
  ProgramLoops& loops = loops_after({&tables[0], &tables[1], &tables[2], &tables[3]}, products.joints);
  std::size_t at[4];
  for (std::size_t k = 0; k < 4; ++k) at[k] = place(loops, std::move(tables[k]));
  loops.products.push_back(
      {products.block, {at[0], at[1], products.below.terms}, {at[2], at[3], products.above.terms}, loops.results});
  return results(loops, std::size_t(loops.products.back().size()));
}

std::vector<Expr> RecordedLoops::record(const LoopedBody& body) {
  std::vector<ProgramLoops::Table> tables;
  for (const std::vector<Expr>& row : body.rows) tables.push_back(table_of(row));
  std::vector<const ProgramLoops::Table*> read;
  for (const ProgramLoops::Table& table : tables) read.push_back(&table);
  const std::size_t joints = body.rows.front().size();
  ProgramLoops& loops = loops_after(read, int(joints));
  ProgramLoops::Body own{{}, body.graph, body.results, loops.results};
  for (ProgramLoops::Table& table : tables) own.rows.push_back(place(loops, std::move(table)));
  loops.bodies.push_back(std::move(own));
  return results(loops, body.results.size() * joints);
}

std::vector<Expr> RecordedLoops::record(const LoopedColumns& columns) {
  std::vector<ProgramLoops::Table> tables{table_of(columns.links)};
  for (const std::vector<Expr>& side : columns.right_sides)
    if (!side.empty()) tables.push_back(table_of(side));
  std::vector<const ProgramLoops::Table*> read;
  for (const ProgramLoops::Table& table : tables) read.push_back(&table);
  const int joints = static_cast<int>(columns.q_of.size());
  ProgramLoops& loops = loops_after(read, joints);
  ProgramLoops::Columns own{columns.q_of, columns.limbs, place(loops, tables[0]), {}, loops.results};
  auto next = tables.begin() + 1;
  for (const std::vector<Expr>& side : columns.right_sides) {
    own.right_sides.emplace_back();
    if (!side.empty()) own.right_sides.back().push_back(place(loops, std::move(*next++)));
  }
  loops.columns.push_back(std::move(own));
  const std::size_t square = columns.q_of.size() * columns.q_of.size();
  return results(loops, columns.right_sides.size() * square);
}

namespace {

double product(const ProgramLoops::Factors& factors, const std::vector<std::vector<double>>& tables, int joints, int k,
               int j) {
  double sum = 0.0;
  for (int t = 0; t < factors.terms; ++t)
    sum += tables[factors.left][index(t * joints + k)] * tables[factors.right][index(t * joints + j)];
  return sum;
}

bool is_below(CarriedBy carrier, int k, int j) {
  return carrier == CarriedBy::column || (carrier == CarriedBy::smaller && j <= k);
}

// One column: docs/equations/inverse_inertia.md (3)-(6).
void solve_column(const ProgramLoops::Columns& columns, const std::vector<double>& links,
                  const std::vector<double>* right, std::size_t column, double* X) {
  constexpr std::size_t per_link = LoopedColumns::numbers_per_link;
  const std::size_t n = columns.q_of.size();
  std::vector<double> w(n), passed(6 * columns.limbs.size()), moved(6 * columns.limbs.size());
  for (std::size_t l = columns.limbs.size(); l-- > 0;) {
    const LoopedColumns::Limb& limb = columns.limbs[l];
    double* p = &passed[6 * l];
    for (int i = limb.to - 1; i >= limb.from; --i) {
      const double *s = &links[index(i) * per_link], *k = s + 6;
      const auto q = index(columns.q_of[index(i)]);
      double u = right ? -(*right)[q * n + column] : q == column ? 1.0 : 0.0;
      for (int c = 0; c < 6; ++c) u -= s[c] * p[c];
      for (int c = 0; c < 6; ++c) p[c] += k[c] * u;
      w[index(i)] = s[12] * u;
    }
    if (limb.above != base_link)
      for (std::size_t c = 0; c < 6; ++c) passed[6 * index(limb.above) + c] += p[c];
  }
  for (std::size_t l = 0; l < columns.limbs.size(); ++l) {
    const LoopedColumns::Limb& limb = columns.limbs[l];
    double* a = &moved[6 * l];
    if (limb.above != base_link) std::copy_n(&moved[6 * index(limb.above)], 6, a);
    for (int i = limb.from; i < limb.to; ++i) {
      const double *s = &links[index(i) * per_link], *k = s + 6;
      double x = w[index(i)];
      for (int c = 0; c < 6; ++c) x -= k[c] * a[c];
      for (int c = 0; c < 6; ++c) a[c] += s[c] * x;
      X[index(columns.q_of[index(i)]) * n + column] = x;
    }
  }
}

}  // namespace

std::vector<double> ProgramLoops::run(const std::vector<std::vector<double>>& filled) const {
  std::vector<double> found(results);
  for (const Body& own : bodies)
    for (std::size_t j = 0; j < std::size_t(joints); ++j) {
      std::vector<double> of_joint;
      for (const std::size_t row : own.rows) of_joint.push_back(filled[row][j]);
      const std::vector<double> values = own.graph.evaluate(own.results, of_joint);
      for (std::size_t k = 0; k < values.size(); ++k) found[own.result + k * std::size_t(joints) + j] = values[k];
    }
  for (const Products& own : products) {
    double* next = &found[own.result];
    for (int k = own.block.row; k < own.block.row_end; ++k)
      for (int j = own.block.column; j < own.block.column_end; ++j)
        *next++ = product(is_below(own.block.carrier, k, j) ? own.below : own.above, filled, joints, k, j);
  }
  for (const Columns& own : columns) {
    const std::size_t n = own.q_of.size();
    double* X = &found[own.result];
    for (const auto& side : own.right_sides) {
      for (std::size_t c = 0; c < n; ++c)
        solve_column(own, filled[own.links], side.empty() ? nullptr : &filled[side.front()], c, X);
      X += n * n;
    }
  }
  return found;
}

void ProgramLoops::add_cost(GraphCost& cost) const {
  long products_of_all = 0;  // each is added to something
  for (const Products& own : products)
    for (int k = own.block.row; k < own.block.row_end; ++k)
      for (int j = own.block.column; j < own.block.column_end; ++j)
        products_of_all += is_below(own.block.carrier, k, j) ? own.below.terms : own.above.terms;
  for (const Columns& own : columns)
    products_of_all += 2L * 12 * long(own.q_of.size() * own.q_of.size() * own.right_sides.size());
  cost.multiplications += products_of_all;
  cost.additions += products_of_all;
  cost.fused += products_of_all;
  for (const Body& own : bodies) {
    const GraphCost once = own.graph.cost(own.results);
    cost.multiplications += joints * once.multiplications;
    cost.additions += joints * once.additions;
    cost.fused += joints * once.fused;
  }
}

}  // namespace catena
