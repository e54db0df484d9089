// How a sweep reads a link, and where it stores what one link passes to another. The same source of an algorithm works
// for every robot: on a chain nothing is stored per link, and on a chain that optimize() found flat, entries known to
// be zero are not read and branches with only one outcome are not compiled.
#pragma once

#include "catena/formulation/formulation.hpp"

namespace catena {

struct AnyTree {
  static constexpr bool chain = false;
  template <class T>
  static constexpr int parent(const BasicTree<T>& robot, int i) {
    return robot.link(i).parent;
  }
  template <class T>
  static constexpr const Tilt<T>& tilt(const LinkConstants<T>& link) {
    return link.tilt;
  }
  template <class T>
  static constexpr bool revolute(const LinkConstants<T>& link) {
    return link.revolute;
  }
  template <class T>
  static constexpr bool variable(const LinkConstants<T>& link) {
    return link.prismatic_child;
  }
  template <class T, class S>
  static constexpr Vec3<S> offset(const LinkConstants<T>& link, std::span<const S> q) {
    return joint_offset(link, q[index(link.q)]);
  }
  template <class T>
  static constexpr const Vec3<T>& moment(const LinkConstants<T>& link) {
    return link.augmented_moment;
  }
  template <class T>
  static constexpr const Sym3<T>& pseudo(const LinkConstants<T>& link) {
    return link.augmented_pseudo;
  }
};

// A chain of any links: the parent of link i is link i - 1, and no link is turned.
struct AnyChain : AnyTree {
  static constexpr bool chain = true;
  template <class T>
  static constexpr int parent(const BasicTree<T>&, int i) {
    return i - 1;
  }
  template <class T>
  static constexpr PlainTilt<T> tilt(const LinkConstants<T>& link) {
    return {link.tilt.cos_alpha, link.tilt.sin_alpha};
  }
};

// A regrouped chain: model/regroup.hpp.
struct FlatChain : AnyChain {
  template <class T>
  static constexpr bool revolute(const LinkConstants<T>&) {
    return true;
  }
  template <class T>
  static constexpr bool variable(const LinkConstants<T>&) {
    return false;
  }
  template <class T, class S>
  static constexpr FlatVec3<T> offset(const LinkConstants<T>& link, std::span<const S>) {
    return {link.p_parent_to_link.x, link.p_parent_to_link.y};
  }
  template <class T>
  static constexpr FlatVec3<T> moment(const LinkConstants<T>& link) {
    return {link.augmented_moment.x, link.augmented_moment.y};
  }
  template <class T>
  static constexpr FlatSym3<T> pseudo(const LinkConstants<T>& link) {
    const Sym3<T>& K = link.augmented_pseudo;
    return {K.xx, K.yy, K.xy, K.xz, K.yz};
  }
};

template <class Shape, class T>
constexpr bool on_base(const BasicTree<T>& robot, int i) {
  return Shape::parent(robot, i) == base_link;
}

// The parent of every link is the link before it, and no link is turned.
template <class T>
bool is_chain(const BasicTree<T>& robot) {
  for (int i = 0; i < robot.joints(); ++i)
    if (robot.link(i).parent != i - 1 || robot.link(i).tilt.turned) return false;
  return true;
}

// Calls visit(Shape{}) with the most specific shape that fits the robot.
template <class T, class Visitor>
void in_shape(const BasicTree<T>& robot, Visitor&& visit) {
  if (robot.flat) {
    visit(FlatChain{});
  } else if (is_chain(robot)) {
    visit(AnyChain{});
  } else {
    visit(AnyTree{});
  }
}

// What one link passes to another in a sweep. A tree stores one item per link, in the span it gets;
template <class Shape, class Item>
class Handed {
 public:
  explicit Handed(std::span<Item> by_link) : by_link_(by_link) {}
  Item& operator[](int i) { return by_link_[index(i)]; }
  void leave(int i, const Item& item) { by_link_[index(i)] = item; }

  // Inward, where a link sums what its children pass to it: start from zero, or from own(i), link i's own contribution.
  void start() {
    for (Item& item : by_link_) item = {};
  }
  template <class Own>
  void start(int links, Own&& own) {
    for (int i = 0; i < links; ++i) by_link_[index(i)] = own(i);
  }
  void add(int i, const Item& item) { by_link_[index(i)] += item; }
  template <class Own>
  void add(int i, const Item& item, Own&&) {
    by_link_[index(i)] += item;
  }

 private:
  std::span<Item> by_link_;
};
// a chain keeps only the latest, which is the one the next link reads.
template <class Shape, class Item>
requires(Shape::chain) class Handed<Shape, Item> {
 public:
  explicit Handed(std::span<Item>) {}
  Item& operator[](int) { return latest_; }
  void leave(int, const Item& item) { latest_ = item; }

  void start() { latest_ = {}; }
  template <class Own>
  void start(int links, Own&& own) {
    latest_ = own(links - 1);
  }
  void add(int, const Item& item) { latest_ = item; }
  template <class Own>
  void add(int i, const Item& item, Own&& own) {
    latest_ = own(i);
    latest_ += item;
  }

 private:
  Item latest_;
};
// Items that only trees store.
template <class T>
std::size_t kept_by_link(const BasicTree<T>& robot) {
  return is_chain(robot) ? 0 : index(robot.joints());
}

}  // namespace catena
