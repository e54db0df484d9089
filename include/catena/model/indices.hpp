// Two numberings: the joints of the tree, which formulations use, and the user's coordinates. They agree for a plain
// robot and differ once joints are coupled or the base moves. So each has its own type, and what is stored by one
// cannot be indexed by the other.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "catena/math/index.hpp"

namespace catena {

inline constexpr int base_link = -1;  // as the number of a link: the base
// The joints that carry a free base or one with a prescribed motion: three that slide, three that turn.
inline constexpr int base_joints = 6;

template <class Of>
class NumberOf {
 public:
  constexpr NumberOf() = default;
  constexpr explicit NumberOf(int number) : number_(number) {}
  constexpr explicit NumberOf(std::size_t number) : number_(static_cast<int>(number)) {}
  constexpr operator int() const { return number_; }  // for plain arrays, which formulations index by joint only
  constexpr auto operator<=>(const NumberOf&) const = default;  // NOLINT(modernize-use-nullptr): not written here

 private:
  int number_ = 0;
};

// A joint of the tree: its index in the tree's q, q̇, τ and matrices.
using TreeJoint = NumberOf<struct JointsOfTheTree>;
// A coordinate of the user: its index in v (or q̇), τ and matrices. Its index in q: Coordinates::position_of.
using Coordinate = NumberOf<struct CoordinatesOfTheUser>;

// A vector with one entry for each, which accepts no other kind of index.
template <class T, class Number>
class KeptBy {
 public:
  KeptBy() = default;
  explicit KeptBy(std::size_t size, const T& value = T()) : kept_(size, value) {}

  T& operator[](Number at) { return kept_[static_cast<std::size_t>(static_cast<int>(at))]; }
  const T& operator[](Number at) const { return kept_[static_cast<std::size_t>(static_cast<int>(at))]; }
  template <class Other>
  T& operator[](Other) = delete;
  template <class Other>
  const T& operator[](Other) const = delete;

  std::size_t size() const { return kept_.size(); }
  bool empty() const { return kept_.empty(); }
  Number next() const { return Number(kept_.size()); }  // the number of the entry that push_back() adds
  void push_back(const T& value) { kept_.push_back(value); }
  void resize(std::size_t size) { kept_.resize(size); }
  void reserve(std::size_t size) { kept_.reserve(size); }
  void assign(std::size_t size, const T& value) { kept_.assign(size, value); }
  void clear() { kept_.clear(); }
  void insert_front(std::size_t count, const T& value) { kept_.insert(kept_.begin(), count, value); }
  auto begin() { return kept_.begin(); }
  auto end() { return kept_.end(); }
  auto begin() const { return kept_.begin(); }
  auto end() const { return kept_.end(); }
  const T& front() const { return kept_.front(); }
  T& back() { return kept_.back(); }
  // All of them, for loops in order.
  const std::vector<T>& list() const { return kept_; }
  std::vector<T>& list() { return kept_; }

 private:
  std::vector<T> kept_;
};
template <class T>
using ByJoint = KeptBy<T, TreeJoint>;
template <class T>
using ByCoordinate = KeptBy<T, Coordinate>;

// for (const Coordinate c : all<Coordinate>(nv))
template <class Number>
class AllOf {
 public:
  explicit constexpr AllOf(int count) : count_(count) {}
  class Iterator {
   public:
    explicit constexpr Iterator(int at) : at_(at) {}
    constexpr Number operator*() const { return Number(at_); }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    int at_;
  };
  constexpr Iterator begin() const { return Iterator(0); }
  constexpr Iterator end() const { return Iterator(count_); }

 private:
  int count_;
};

}  // namespace catena
