// A stand-in: the class is made, and nothing loads it.
#pragma once
#include <memory>
#define PLUGINLIB_EXPORT_CLASS(derived, base) \
  std::unique_ptr<base> make_exported() { return std::make_unique<derived>(); }
