// Two ways to count: the joints of the tree, which formulations go by, and the user's coordinates, which people go by.
// They are the same numbers for a plain robot and others as soon as joints are coupled or the base moves, so each has a
// type, and what is kept by one cannot be asked for by the other.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "catena/math/index.hpp"

namespace catena {

template <class Of>
class NumberOf {
 public:
  constexpr NumberOf() = default;
  constexpr explicit NumberOf(int number) : number_(number) {}
  constexpr explicit NumberOf(std::size_t number) : number_(static_cast<int>(number)) {}
  constexpr operator int() const { return number_; }  // for arrays of numbers, which a formulation has by joint alone
  constexpr auto operator<=>(const NumberOf&) const = default;  // NOLINT(modernize-use-nullptr): not written here

 private:
  int number_ = 0;
};

// A joint of the tree: its place in the tree's q, q̇, τ and matrices.
using TreeJoint = NumberOf<struct JointsOfTheTree>;
// A coordinate of the user's: its place in v (or q̇), τ and matrices. Its place in q: Coordinates::position_of.
using Coordinate = NumberOf<struct CoordinatesOfTheUser>;

// What is kept for each: a vector that takes no other number.
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
  Number next() const { return Number(kept_.size()); }  // of the one that push_back() adds
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
  // All of them, for what goes through them in order.
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
