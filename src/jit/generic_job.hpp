// A job by the generic path, behind the interface of compiled code.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "catena/dynamics/checks.hpp"
#include "catena/model/mechanism.hpp"

namespace catena::jit {

class GenericJob {
 public:
  virtual ~GenericJob() = default;
  // Not for two threads at once.
  virtual void run(const Inputs<double>& in, std::span<double> out) = 0;
  virtual std::string method() const = 0;
};

// Throws std::invalid_argument when the job or the method does not exist.
std::unique_ptr<GenericJob> make_generic_job(std::string_view job, const Mechanism& robot, const std::string& method,
                                             int frame);

}  // namespace catena::jit
