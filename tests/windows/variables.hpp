// The two functions of POSIX by which tests set variables of the environment. Included in every test on Windows.
#pragma once

#include <stdlib.h>

inline int setenv(const char* name, const char* value, int replaces) {
  return replaces == 0 && getenv(name) != nullptr ? 0 : _putenv_s(name, value);
}
inline int unsetenv(const char* name) { return _putenv_s(name, ""); }
