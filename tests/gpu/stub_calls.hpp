// What the stub's driver and compiler share: calls are counted, and may be told to fail.
#pragma once

#include <mutex>

inline constexpr int good = 0;
extern std::recursive_mutex mutex;
int enter(const char* name);  // counts the call; what it is to return

#define ENTER                                              \
  const std::lock_guard<std::recursive_mutex> lock(mutex); \
  if (const int told = enter(__func__); told != good) return told
