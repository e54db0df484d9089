// How much of the stack a call uses: it runs on one that was painted before.
#pragma once

#include <cstddef>
#include <functional>

namespace catena::test {

// Bytes from the frame of the call downwards, to the last one that it changed. Throws what the call throws.
std::size_t stack_used(const std::function<void()>& call);

}  // namespace catena::test
