#include "real_time/painted_stack.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>

namespace catena::test {
namespace {

constexpr std::size_t size = std::size_t{1} << 20, guard = std::size_t{1} << 16;
constexpr std::uint64_t paint = 0xA5A5A5A5A5A5A5A5;

struct Visit {
  const std::function<void()>* call = nullptr;
  const char* top = nullptr;  // where its frames begin
  std::exception_ptr thrown;
} visit;

void run() {
  visit.top = static_cast<const char*>(__builtin_frame_address(0));
  try {
    (*visit.call)();
  } catch (...) {
    visit.thrown = std::current_exception();
  }
}

// Below it lies memory that nobody may touch.
std::uint64_t* new_stack() {
  void* memory = ::mmap(nullptr, guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || ::mprotect(memory, guard, PROT_NONE) != 0) throw std::bad_alloc();
  auto* stack = reinterpret_cast<std::uint64_t*>(static_cast<char*>(memory) + guard);
  std::fill(stack, stack + size / sizeof paint, paint);
  return stack;
}

}  // namespace

std::size_t stack_used(const std::function<void()>& call) {
  static std::uint64_t* const stack = new_stack();
  static ucontext_t here, there;
  visit = {&call, nullptr, nullptr};
  ::getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = size;
  there.uc_link = &here;
  ::makecontext(&there, run, 0);
  ::swapcontext(&here, &there);
  std::uint64_t* const end = stack + size / sizeof paint;
  std::uint64_t* const lowest = std::find_if(stack, end, [](std::uint64_t word) { return word != paint; });
  const auto used = static_cast<std::size_t>(visit.top - reinterpret_cast<const char*>(lowest));
  std::fill(lowest, end, paint);
  if (visit.thrown) std::rethrow_exception(visit.thrown);
  return used;
}

}  // namespace catena::test
