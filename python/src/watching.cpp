// Ctrl-C and bars while the library computes: catena/_progress.py.
#include <chrono>
#include <utility>

#include "bindings.hpp"
#include "model/asking.hpp"

namespace catena::python {
namespace {

// Answers for the thread that entered it. A function, if any, is told the share that is done.
class Watch {
 public:
  explicit Watch(nb::object told) : told_(std::move(told)) {}

  void enter() {
    before_ = answers_here;
    answers_here = &answer_;
  }
  void exit() { answers_here = before_; }

 private:
  using Clock = std::chrono::steady_clock;

  void answer(double share) {
    constexpr auto between = std::chrono::milliseconds(50);
    const Clock::time_point now = Clock::now();
    if (share > share_) share_ = share;
    if (now - last_ < between) return;
    last_ = now;
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (share_ >= 0.0 && !told_.is_none()) told_(std::exchange(share_, unknown_share));
  }

  nb::object told_;
  Clock::time_point last_{};      // of the last answer
  double share_ = unknown_share;  // the last that was said since
  Answer answer_ = [this](double share) { answer(share); };
  const Answer* before_ = nullptr;
};

}  // namespace

bool goes_on(double share) {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) return false;
  try {
    ask(share);
  } catch (nb::python_error& error) {
    error.restore();
    return false;
  }
  return true;
}

void bind_watching(nb::module_& module) {
  nb::class_<Watch>(module, "Watch")
      .def(nb::init<nb::object>(), nb::arg("told").none())
      .def("enter", &Watch::enter)
      .def("exit", &Watch::exit);
}

}  // namespace catena::python
