// The derivatives of any job along given directions, exact to rounding: the job on dual numbers, for second ones on
// dual numbers of dual numbers. Charts, joint forces and closed loops included; wrenches are not taken.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/job.hpp"
#include "catena/mechanism.hpp"

namespace catena {

class Along {
 public:
  static constexpr int most = 2;
  // order: 1 to most. Throws std::invalid_argument for another, or if there is no such job.
  Along(const Mechanism& robot, std::string_view job, int order);
  ~Along();
  Along(Along&&) noexcept;
  Along& operator=(Along&&) noexcept;

  // `along` has a direction for each order, with the lengths of the job's inputs; an array of a direction may be empty:
  // that input does not change. The quaternion of a free base is taken as four numbers, whose length does not count.
  // `out`: all outputs of the job in sequence. Throws std::domain_error where loops cannot close. Results are not
  // checked: they are NaN or infinite where there are none.
  void operator()(const Inputs<double>& at, std::span<const Inputs<double>> along, std::span<double> out);
  std::size_t size() const;  // of out

  class Base;

 private:
  std::unique_ptr<Base> impl_;
};

// What each order implements: along_once.cpp, along_twice.cpp.
class Along::Base {
 public:
  virtual ~Base() = default;
  virtual void run(const Inputs<double>& at, std::span<const Inputs<double>> along, std::span<double> out) = 0;
  std::size_t size = 0;
};
std::unique_ptr<Along::Base> make_first_along(const Mechanism& robot, std::string_view job);
std::unique_ptr<Along::Base> make_second_along(const Mechanism& robot, std::string_view job);

}  // namespace catena
