// M X = R for many right-hand sides, each by the articulated-body recursion: M⁻¹ = (1 - HΨL)ᵀ D⁻¹ (1 - HΨL). Twists and
// wrenches of all joints are in one frame about one point, so that nothing is transformed from link to link, and
// right-hand sides stand side by side in lanes. Equations (1)-(6): docs/equations/inverse_inertia.md.
#pragma once

#include <algorithm>
#include <concepts>
#include <utility>

#include "catena/formulation/kernels.hpp"
#include "catena/scalar/loops.hpp"
#include "formulations/shared/lanes.hpp"

namespace catena {

template <class S>
class ArticulatedColumns {
 public:
  explicit ArticulatedColumns(const TreeFor<S>& robot)
      : joints_(index(robot.joints())), limb_of_(index(robot.joints())), link_of_(index(robot.joints())) {
    Array<int> children(index(robot.joints()));
    for (const auto& link : robot.links)
      if (link.parent != base_link) ++children[index(link.parent)];
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      joints_[index(i)].q = link.q;
      link_of_[index(link.q)] = i;
      const bool continues = link.parent != base_link && link.parent == i - 1 && children[index(link.parent)] == 1;
      if (continues) {
        limbs_.back().to = i + 1;
      } else {
        const int above = link.parent == base_link ? base_link : limb_of_[index(link.parent)];
        limbs_.push_back({i, i + 1, above});
      }
      limb_of_[index(i)] = static_cast<int>(limbs_.size()) - 1;
    }
    room_.resize(index(robot.joints()) * room_per_row);
    ends_.resize(limbs_.size() * 6 * room_per_row);
    touched_.resize(limbs_.size());
    reached_.resize(limbs_.size());
  }

  // The joint of link i: its twist, and the wrench k that a unit torque there passes to the parent; both in the frame
  // of the first link on the way to the base, about its origin.                                               (1), (2)
  void set(int i, bool revolute, const Pose<S>& root_from_link, const Wrench<S>& k, const S& inverse_pivot) {
    const auto& [R, o] = root_from_link;
    const Vec3<S> axis = R.column_z(), force = R * k.force, moment = add_cross(R * k.moment, o, force);
    const Vec3<S> turned = revolute ? axis : Vec3<S>{}, moved = revolute ? cross(o, axis) : axis;
    Joint& own = joints_[index(i)];
    put(turned, moved, own.s);
    put(moment, force, own.k);
    own.inverse_pivot = inverse_pivot;
  }

  // One of the products that are wanted: -M⁻¹ R, or M⁻¹ itself if R is empty.
  struct Wanted {
    std::span<const S> R;
    std::span<S> X;
  };
  // Entries of R must be zero unless one of the two joints carries the other, as in D, V and P.
  void solve(std::span<const Wanted> wanted) {
    const int n = static_cast<int>(joints_.size());
    if constexpr (std::floating_point<S>) {
      if (n >= wide) return in_lanes<wide>(wanted);
      if (n >= narrow) return in_lanes<narrow>(wanted);
    }
    if constexpr (std::same_as<S, Expr>)
      if (LoopRecorder* loops = LoopRecorder::installed()) return record(wanted, *loops);
    in_lanes<1>(wanted);
  }

 private:
  struct Joint {
    S s[6], k[6];
    S inverse_pivot;
    int q;
  };
  // Links in sequence, each the only one that its predecessor carries.
  using Limb = LoopedColumns::Limb;
  static constexpr int registers = detail::vector_registers;
  static constexpr int most = std::floating_point<S> ? (registers >= 32 ? 4 : 2) : 1;  // vectors at once
  static constexpr int wide = std::floating_point<S> ? detail::widest_bytes / int(sizeof(S)) : 1;
  static constexpr int narrow = std::max(wide / 2, 1);
  static constexpr std::size_t room_per_row = std::size_t(most) * std::size_t(wide);

  template <int W>
  struct LanesOfWidth {
    typedef S type __attribute__((vector_size(W * sizeof(S))));  // NOLINT(modernize-use-using)
  };
  template <int W>
  requires(W == 1) struct LanesOfWidth<W> {
    using type = S;
  };

  // Some neighbouring columns of one product.
  struct Columns {
    const S* R;  // null: the unit matrix
    S* X;
    int first;
  };

  static void put(const Vec3<S>& a, const Vec3<S>& b, S (&six)[6]) {
    six[0] = a.x, six[1] = a.y, six[2] = a.z, six[3] = b.x, six[4] = b.y, six[5] = b.z;
  }

  void record(std::span<const Wanted> wanted, LoopRecorder& loops) const {
    LoopedColumns columns;
    columns.limbs.assign(limbs_.begin(), limbs_.end());
    for (const Joint& joint : joints_) {
      columns.q_of.push_back(joint.q);
      columns.links.insert(columns.links.end(), std::begin(joint.s), std::end(joint.s));
      columns.links.insert(columns.links.end(), std::begin(joint.k), std::end(joint.k));
      columns.links.push_back(joint.inverse_pivot);
    }
    for (const Wanted& product : wanted) columns.right_sides.emplace_back(product.R.begin(), product.R.end());
    const std::vector<S> found = loops.record(columns);
    auto next = found.begin();
    for (const Wanted& product : wanted)
      for (S& entry : product.X) entry = *next++;
  }

  template <int W>
  void in_lanes(std::span<const Wanted> wanted) {
    const int n = static_cast<int>(joints_.size());
    Columns columns[most];
    int count = 0;
    for (int first = 0; first < n; first += W)
      for (const Wanted& product : wanted) {
        columns[count++] = {product.R.empty() ? nullptr : product.R.data(), product.X.data(), std::min(first, n - W)};
        if (count == most) solve_group<W>(columns, std::exchange(count, 0));
      }
    if (count > 0) solve_group<W>(columns, count);
  }
  template <int W>
  void solve_group(const Columns* columns, int count) {
    touch<W>(columns, count);
    if constexpr (most >= 4)
      if (count == 4) return solve_columns<W, 4>(columns);
    if constexpr (most >= 3)
      if (count == 3) return solve_columns<W, 3>(columns);
    if constexpr (most >= 2)
      if (count == 2) return solve_columns<W, 2>(columns);
    solve_columns<W, 1>(columns);
  }
  // Marks the limbs in which some right-hand side has entries.
  template <int W>
  void touch(const Columns* columns, int count) {
    std::fill(touched_.begin(), touched_.end(), 0);
    bool only_units = true;
    for (int c = 0; c < count; ++c) {
      only_units = only_units && !columns[c].R;
      for (int lane = 0; lane < W; ++lane)
        for (int limb = limb_of_[index(link_of_[index(columns[c].first + lane)])]; limb != base_link;
             limb = limbs_[index(limb)].above)
          touched_[index(limb)] = std::max<char>(touched_[index(limb)], 1);
    }
    if (only_units) return;
    for (int c = 0; c < count; ++c)
      for (int lane = 0; lane < W; ++lane)
        touched_[index(limb_of_[index(link_of_[index(columns[c].first + lane)])])] = 2;
    for (std::size_t l = 0; l < limbs_.size(); ++l)  // and what they carry
      if (limbs_[l].above != base_link && touched_[index(limbs_[l].above)] == 2) touched_[l] = 2;
  }

  template <int W, int B>
  void solve_columns(const Columns* columns) {
    inward<W, B>(columns);
    outward<W, B>(columns);
  }
  S* end_of(int limb) { return &ends_[index(limb) * 6 * room_per_row]; }

  template <int W, int B>
  [[gnu::always_inline]] void inward(const Columns* columns) {
    using V = typename LanesOfWidth<W>::type;
    std::fill(ends_.begin(), ends_.end(), S{});
    for (int l = static_cast<int>(limbs_.size()) - 1; l >= 0; --l) {
      const Limb& limb = limbs_[index(l)];
      if (!touched_[index(l)]) continue;
      V p[6][B];  // the wrench that the limb passes on
      read(end_of(l), p);
      for (int i = limb.to - 1; i >= limb.from; --i) {
        const Joint& joint = joints_[index(i)];
        V u[B];
        for (int b = 0; b < B; ++b) load(columns[b], joint.q, u[b]);
        for (int k = 0; k < 6; ++k)
          for (int b = 0; b < B; ++b) u[b] -= joint.s[k] * p[k][b];  // (3)
        for (int k = 0; k < 6; ++k)
          for (int b = 0; b < B; ++b) p[k][b] += joint.k[k] * u[b];  // (4)
        for (int b = 0; b < B; ++b) {
          const V w = joint.inverse_pivot * u[b];
          store(w, &room_[index(i) * room_per_row + index(b * W)]);
        }
      }
      if (limb.above != base_link) add(p, end_of(limb.above));
    }
  }
  template <int W, int B>
  [[gnu::always_inline]] void outward(const Columns* columns) {
    using V = typename LanesOfWidth<W>::type;
    for (int l = 0; l < static_cast<int>(limbs_.size()); ++l) {
      const Limb& limb = limbs_[index(l)];
      const bool touched = touched_[index(l)] != 0;
      reached_[index(l)] = limb.above == base_link ? touched : reached_[index(limb.above)] != 0;
      if (!reached_[index(l)]) {  // it hangs on the base by another first joint
        for (int i = limb.from; i < limb.to; ++i)
          for (int b = 0; b < B; ++b) store(V{}, found(columns[b], joints_[index(i)].q));
        continue;
      }
      V a[6][B] = {};  // acceleration
      if (limb.above != base_link) read(end_of(limb.above), a);
      for (int i = limb.from; i < limb.to; ++i) {
        const Joint& joint = joints_[index(i)];
        V x[B] = {};
        if (touched)
          for (int b = 0; b < B; ++b) fetch(&room_[index(i) * room_per_row + index(b * W)], x[b]);
        for (int k = 0; k < 6; ++k)
          for (int b = 0; b < B; ++b) x[b] -= joint.k[k] * a[k][b];  // (5)
        for (int k = 0; k < 6; ++k)
          for (int b = 0; b < B; ++b) a[k][b] += joint.s[k] * x[b];  // (6)
        for (int b = 0; b < B; ++b) store(x[b], found(columns[b], joint.q));
      }
      write(a, end_of(l));
    }
  }

  template <class V>
  [[gnu::always_inline]] static void fetch(const S* from, V& lanes) {
    if constexpr (std::same_as<V, S>)
      lanes = *from;
    else
      __builtin_memcpy(&lanes, from, sizeof lanes);
  }
  template <class V>
  [[gnu::always_inline]] static void store(const V& lanes, S* to) {
    if constexpr (std::same_as<V, S>)
      *to = lanes;
    else
      __builtin_memcpy(to, &lanes, sizeof lanes);
  }
  // A row of the right-hand sides.
  template <class V>
  [[gnu::always_inline]] void load(const Columns& columns, int row, V& lanes) const {
    if (columns.R) {
      fetch(columns.R + index(row) * joints_.size() + index(columns.first), lanes);
      lanes = -lanes;
    } else if constexpr (std::same_as<V, S>) {
      lanes = S(ConstantOf<S>(row == columns.first ? 1 : 0));
    } else {
      lanes = V{};
      const int lane = row - columns.first;
      if (lane >= 0 && lane < int(sizeof(V) / sizeof(S))) lanes[lane] = S(1);
    }
  }
  S* found(const Columns& columns, int row) const {
    return columns.X + index(row) * joints_.size() + index(columns.first);
  }
  template <class V>
  static constexpr int lanes_of = int(sizeof(V) / sizeof(S));  // NOLINT(bugprone-sizeof-expression)
  template <class V, int B>
  static void read(const S* from, V (&six)[6][B]) {
    constexpr int W = lanes_of<V>;
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < B; ++b) fetch(from + (k * B + b) * W, six[k][b]);
  }
  template <class V, int B>
  static void write(const V (&six)[6][B], S* to) {
    constexpr int W = lanes_of<V>;
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < B; ++b) store(six[k][b], to + (k * B + b) * W);
  }
  template <class V, int B>
  static void add(const V (&six)[6][B], S* to) {
    constexpr int W = lanes_of<V>;
    for (int k = 0; k < 6; ++k)
      for (int b = 0; b < B; ++b) {
        V sum;
        fetch(to + (k * B + b) * W, sum);
        sum += six[k][b];
        store(sum, to + (k * B + b) * W);
      }
  }

  Array<Joint> joints_;  // by link
  Array<int> limb_of_;   // by link
  Array<int> link_of_;   // by q
  Array<Limb> limbs_;
  Array<S> room_, ends_;
  Array<char> touched_, reached_;  // by limb
};

}  // namespace catena
