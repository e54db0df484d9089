// Tables with one row per quantity and one column per joint, for steps in which no joint waits for another: several
// joints are computed at once, in the lanes of a vector. And products of such rows, which fill blocks of a matrix.
#pragma once

#include <algorithm>
#include <concepts>
#include <map>
#include <utility>
#include <vector>

#include "catena/formulation/kernels.hpp"
#include "catena/scalar/loops.hpp"
#include "catena/scalar/pack.hpp"
#include "formulations/shared/lanes.hpp"

namespace catena {

namespace detail {
template <class S>
struct GroupOf {
  using type = S;
  static constexpr int size = 1;
};
template <std::floating_point S>
struct GroupOf<S> {
  static constexpr int size = widest_bytes / int(sizeof(S));
  using type = Pack<S, size>;
};
}  // namespace detail

// What a loop over the joints does with a table, found by doing it once for symbols.
struct RowTrace {
  Graph* graph;
  std::map<int, Expr> read, written;  // by row

  const Expr& value(int row) {
    if (const auto found = written.find(row); found != written.end()) return found->second;
    auto [at, is_new] = read.try_emplace(row);
    if (is_new) at->second = Expr::input(*graph, "row");
    return at->second;
  }
};

// Entries of type T for an algorithm on the scalar S.
template <class S, class T = S>
class JointRows {
 public:
  static constexpr int group_size = detail::GroupOf<S>::size;
  using Group = std::conditional_t<group_size == 1, T, typename detail::GroupOf<S>::type>;

  JointRows(int rows, int joints)
      : joints_(joints),
        stride_((joints + group_size - 1) / group_size * group_size),
        entries_(index(rows) * index(stride_) + group_size) {}  // a group may start anywhere

  int joints() const { return joints_; }
  void trace(RowTrace* how) const { trace_ = how; }
  int stride() const { return stride_; }

  // One joint.
  T& at(int row, int j) { return entries_[index(row * stride_ + j)]; }
  const T& at(int row, int j) const { return entries_[index(row * stride_ + j)]; }
  Vec3<T> get(int row, int j) const { return {at(row, j), at(row + 1, j), at(row + 2, j)}; }
  void set(int row, int j, const Vec3<T>& v) { at(row, j) = v.x, at(row + 1, j) = v.y, at(row + 2, j) = v.z; }
  Mat3<T> matrix(int row, int j) const { return Mat3<T>::from_rows(get(row, j), get(row + 3, j), get(row + 6, j)); }
  void set(int row, int j, const Mat3<T>& m) {
    set(row, j, m.row_x()), set(row + 3, j, m.row_y()), set(row + 6, j, m.row_z());
  }
  Sym3<T> symmetric(int row, int j) const {
    return {at(row, j), at(row + 1, j), at(row + 2, j), at(row + 3, j), at(row + 4, j), at(row + 5, j)};
  }
  void set(int row, int j, const Sym3<T>& m) {
    set(row, j, Vec3<T>{m.xx, m.yy, m.zz}), set(row + 3, j, Vec3<T>{m.xy, m.xz, m.yz});
  }

  // visit(j) for the first joint of every group.
  template <class Visitor>
  [[gnu::always_inline]] void for_each_group(const Visitor& visit) const {
    for (int j = 0; j < joints_; j += group_size) visit(j);
  }
  template <class P>
  [[gnu::always_inline]] P one(int row, int j) const {
    if constexpr (std::same_as<S, Expr>)
      if (trace_) return trace_->value(row);
    if constexpr (group_size == 1) {
      return at(row, j);
    } else {
      P group;
      __builtin_memcpy(&group.v, &at(row, j), sizeof group.v);
      return group;
    }
  }
  template <class P>
  [[gnu::always_inline]] Vec3<P> read(int row, int j) const {
    return {one<P>(row, j), one<P>(row + 1, j), one<P>(row + 2, j)};
  }
  template <class P>
  [[gnu::always_inline]] Mat3<P> read_matrix(int row, int j) const {
    return Mat3<P>::from_rows(read<P>(row, j), read<P>(row + 3, j), read<P>(row + 6, j));
  }
  template <class P>
  [[gnu::always_inline]] Sym3<P> read_symmetric(int row, int j) const {
    return {one<P>(row, j),     one<P>(row + 1, j), one<P>(row + 2, j),
            one<P>(row + 3, j), one<P>(row + 4, j), one<P>(row + 5, j)};
  }
  [[gnu::always_inline]] void write(int row, int j, const Group& group) {
    if constexpr (std::same_as<S, Expr>)
      if (trace_) {
        trace_->written[row] = group;
        return;
      }
    if constexpr (group_size == 1) {
      at(row, j) = group;
    } else {
      __builtin_memcpy(&at(row, j), &group.v, sizeof group.v);
    }
  }
  [[gnu::always_inline]] void write(int row, int j, const Vec3<Group>& v) {
    write(row, j, v.x), write(row + 1, j, v.y), write(row + 2, j, v.z);
  }
  [[gnu::always_inline]] void write(int row, int j, const Sym3<Group>& m) {
    write(row, j, m.xx), write(row + 1, j, m.yy), write(row + 2, j, m.zz);
    write(row + 3, j, m.xy), write(row + 4, j, m.xz), write(row + 5, j, m.yz);
  }
  [[gnu::always_inline]] void write(int row, int j, const Mat3<Group>& m) {
    write(row, j, m.row_x()), write(row + 3, j, m.row_y()), write(row + 6, j, m.row_z());
  }

 private:
  int joints_, stride_;
  Array<T> entries_;
  mutable RowTrace* trace_ = nullptr;  // only while a loop is recorded
};

// visit(j) for the first joint of every group, by a loop in generated code: it must do the same for all joints, read
// nothing but these two tables, and write only the first.
template <class S, class T, class Visitor>
[[gnu::always_inline]] inline void for_each_group_alike(JointRows<S>& rows, const JointRows<S, T>& constants,
                                                        const Visitor& visit) {
  if constexpr (std::same_as<S, Expr>)
    if (LoopRecorder* loops = LoopRecorder::installed()) return record_alike(rows, constants, visit, *loops);
  rows.for_each_group(visit);
}
template <class Visitor>
void record_alike(JointRows<Expr>& rows, const JointRows<Expr>& constants, const Visitor& visit, LoopRecorder& loops) {
  LoopedBody body;
  RowTrace variable{&body.graph, {}, {}}, constant{&body.graph, {}, {}};
  rows.trace(&variable), constants.trace(&constant);
  visit(0);
  rows.trace(nullptr), constants.trace(nullptr);
  std::vector<std::pair<std::uint32_t, std::vector<Expr>>> read;  // in the order of the graph's inputs
  const auto take = [&](const JointRows<Expr>& table, const RowTrace& trace) {
    for (const auto& [row, symbol] : trace.read) {
      read.emplace_back(body.graph[symbol.in(body.graph)].a, std::vector<Expr>());
      for (int j = 0; j < rows.joints(); ++j) read.back().second.push_back(table.at(row, j));
    }
  };
  take(rows, variable), take(constants, constant);
  body.rows.resize(read.size());
  for (auto& [which, entries] : read) body.rows[which] = std::move(entries);
  for (const auto& [row, value] : variable.written) body.results.push_back(value.in(body.graph));
  const std::vector<Expr> found = loops.record(body);
  auto next = found.begin();
  for (const auto& [row, value] : variable.written)
    for (int j = 0; j < rows.joints(); ++j) rows.at(row, j) = *next++;
}

// The first rows of a matrix's factors: an entry (k, j) is a sum of `terms` products below_left(k) below_right(j) if
// joint j carries k or is k, and of six products above_left(k) above_right(j) if k carries j.
struct Factors {
  int below_left, below_right, above_left, above_right;
};

template <class S, int terms>
class ProductBlock {
 public:
  ProductBlock(const JointRows<S>& rows, const Factors& factors, const MatrixView<S>& M)
      : rows_(rows), factors_(factors), M_(M) {}

  void fill(const MatrixBlock& block) const {
    if constexpr (std::floating_point<S>) {
      constexpr int wide = detail::widest_bytes / int(sizeof(S)), narrow = std::min(wide, 4);
      return block.column_end - block.column > narrow ? fill_tiles<wide>(block) : fill_tiles<narrow>(block);
    }
    if constexpr (std::same_as<S, Expr>)
      if (LoopRecorder* loops = LoopRecorder::installed()) return record(block, *loops);
    for (int k = block.row; k < block.row_end; ++k)
      for (int j = block.column; j < block.column_end; ++j)
        M_(k, j) = is_below(block.carrier, k, j) ? entry<terms>(factors_.below_left, factors_.below_right, k, j)
                                                 : entry<6>(factors_.above_left, factors_.above_right, k, j);
  }

 private:
  static constexpr int H = 4;  // rows of a tile

  static bool is_below(CarriedBy carrier, int k, int j) {
    return carrier == CarriedBy::column || (carrier == CarriedBy::smaller && j <= k);
  }
  template <int count>
  S entry(int left, int right, int k, int j) const {
    S sum = rows_.at(left, k) * rows_.at(right, j);
    for (int t = 1; t < count; ++t) sum += rows_.at(left + t, k) * rows_.at(right + t, j);
    return sum;
  }

  void record(const MatrixBlock& block, LoopRecorder& loops) const {
    const auto rows_from = [&](int first, int count) {
      std::vector<S> all;
      for (int t = 0; t < count; ++t)
        for (int j = 0; j < rows_.joints(); ++j) all.push_back(rows_.at(first + t, j));
      return all;
    };
    const std::vector<S> found =
        loops.record({block,
                      rows_.joints(),
                      {rows_from(factors_.below_left, terms), rows_from(factors_.below_right, terms), terms},
                      {rows_from(factors_.above_left, 6), rows_from(factors_.above_right, 6), 6}});
    auto next = found.begin();
    for (int k = block.row; k < block.row_end; ++k)
      for (int j = block.column; j < block.column_end; ++j) M_(k, j) = *next++;
  }

  // The last tiles of a row and of a column overlap those before them. If a block is smaller than a tile, only the
  // block is stored.
  template <int W>
  void fill_tiles(const MatrixBlock& block) const {
    const int columns = std::min(W, block.column_end - block.column), rows = std::min(H, block.row_end - block.row);
    for (int row = block.row; row < block.row_end; row += rows) {
      const int k = std::min(row, block.row_end - rows);
      for (int column = block.column; column < block.column_end; column += columns) {
        const int j = std::min(column, block.column_end - columns);
        if (is_below(block.carrier, k, j + columns - 1)) {
          fill_tile<W, true, false>(k, j, rows, columns);
        } else if (!is_below(block.carrier, k + rows - 1, j)) {
          fill_tile<W, false, true>(k, j, rows, columns);
        } else {
          fill_tile<W, true, true>(k, j, rows, columns);
        }
      }
    }
  }
  template <int W, bool below, bool above>
  [[gnu::always_inline]] void fill_tile(int k, int j, int rows, int columns) const {
    typedef S V __attribute__((vector_size(W * sizeof(S))));  // NOLINT(modernize-use-using)
    V sums[H] = {}, others[H] = {};
    if constexpr (below) add_products<terms>(factors_.below_left, factors_.below_right, k, j, sums);
    if constexpr (above) add_products<6>(factors_.above_left, factors_.above_right, k, j, below ? others : sums);
    if constexpr (below && above) {
      using Integer = typename detail::BitsOfLanes<S, W>::Integer;
      using Numbers = typename detail::BitsOfLanes<S, W>::type;
      static constexpr Integer all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
      Numbers lane;
      __builtin_memcpy(&lane, all, sizeof lane);
      for (int h = 0; h < H; ++h) sums[h] = lane > Numbers{} + Integer(k + h - j) ? others[h] : sums[h];
    }
    S* to = &M_(k, j);
    for (int h = 0; h < H; ++h)
      if (h < rows) store_first<W>(sums[h], columns, to + h * std::ptrdiff_t(M_.n));
  }
  // Half of them at a time, in registers: a detour by memory would wait.
  template <int W, class V>
  [[gnu::always_inline]] static void store_first(const V& lanes, int count, S* to) {
    constexpr int half = W / 2;
    if (count == W) {
      __builtin_memcpy(to, &lanes, sizeof lanes);
    } else if constexpr (half == 1) {
      if (count > 0) to[0] = lanes[0];
    } else {
      typedef S Half __attribute__((vector_size(half * sizeof(S))));  // NOLINT(modernize-use-using)
      const auto part = [&]<int... I>(std::integer_sequence<int, I...>, auto from)->Half {
        return __builtin_shufflevector(lanes, lanes, (from + I)...);
      };
      using Lanes = std::make_integer_sequence<int, half>;
      const Half low = part(Lanes{}, std::integral_constant<int, 0>{});
      if (count < half) return store_first<half>(low, count, to);
      __builtin_memcpy(to, &low, sizeof low);
      store_first<half>(part(Lanes{}, std::integral_constant<int, half>{}), count - half, to + half);
    }
  }
  template <int count, class V>
  [[gnu::always_inline]] void add_products(int left, int right, int k, int j, V (&sums)[H]) const {
    const std::ptrdiff_t stride = rows_.stride();
    const S *a = &rows_.at(left, k), *b = &rows_.at(right, j);
    for (int t = 0; t < count; ++t, a += stride, b += stride) {
      V columns;
      __builtin_memcpy(&columns, b, sizeof columns);
      for (int h = 0; h < H; ++h) sums[h] += a[h] * columns;
    }
  }

  const JointRows<S>& rows_;
  Factors factors_;
  MatrixView<S> M_;
};
template <class S, int terms>
void fill_products(const JointRows<S>& rows, const Factors& factors, const MatrixBlock& block, const MatrixView<S>& M) {
  ProductBlock<S, terms>(rows, factors, M).fill(block);
}

// A block's mirror image: bit for bit, which a product of its own would not be.
template <std::floating_point S>
void mirror_block(const MatrixView<S>& M, int row, int row_end, int column, int column_end) {
  typedef S Four __attribute__((vector_size(4 * sizeof(S))));  // NOLINT(modernize-use-using)
  int k = row;
  for (; k + 4 <= row_end; k += 4) {
    int j = column;
    for (; j + 4 <= column_end; j += 4) {
      Four rows[4], columns[4];
      for (int h = 0; h < 4; ++h) __builtin_memcpy(&rows[h], &M(k + h, j), sizeof rows[h]);
      detail::transpose_four(rows, columns);
      for (int h = 0; h < 4; ++h) __builtin_memcpy(&M(j + h, k), &columns[h], sizeof columns[h]);
    }
    for (; j < column_end; ++j)
      for (int h = 0; h < 4; ++h) M(j, k + h) = M(k + h, j);
  }
  for (; k < row_end; ++k)
    for (int j = column; j < column_end; ++j) M(j, k) = M(k, j);
}
// The same for the lower half of a square on the diagonal.
template <std::floating_point S>
void mirror_half(const MatrixView<S>& M, int from, int to) {
  for (int k = from; k < to; k += 4) {
    const int end = std::min(k + 4, to);
    mirror_block(M, k, end, from, k);
    for (int row = k; row < end; ++row)
      for (int j = k; j < row; ++j) M(j, row) = M(row, j);
  }
}

}  // namespace catena
