// The binary interface through which XLA, JAX's compiler, calls foreign functions: the members used here, under our own
// names, in memory order (tests/python/test_jax.py compares with JAX's headers). Newer versions append members; every
// structure starts with its size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace catena::xla {

struct Extension {
  std::size_t size;
  std::int32_t type;  // 1: Metadata is asked for
  Extension* next;
};
struct Version {
  std::size_t size;
  Extension* extensions;
  std::int32_t major, minor;
};
struct Metadata {
  std::size_t size;
  Version version;
  std::uint32_t traits;
};
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

enum class Number : std::int32_t { float32 = 11, float64 = 12, int64 = 5 };
struct Buffer {
  std::size_t size;
  Extension* extensions;
  Number type;
  void* data;
  std::int64_t rank;
  std::int64_t* sides;
};
struct Scalar {
  Number type;
  void* value;
};
struct Text {
  const char* first;
  std::size_t length;
};
// Arguments and results: all are buffers. Attributes also have names.
struct Buffers {
  std::size_t size;
  Extension* extensions;
  std::int64_t count;
  std::int32_t* types;
  Buffer** buffers;
};
struct Attributes {
  std::size_t size;
  Extension* extensions;
  std::int64_t count;
  std::int32_t* types;
  Text** names;
  void** values;
};

struct Error;
struct Context;
struct ErrorArguments {
  std::size_t size;
  Extension* extensions;
  const char* message;
  std::int32_t code;  // 13: internal error
};
struct ErrorHandle {
  std::size_t size;
  Extension* extensions;
  Error* error;
};
struct StreamArguments {
  std::size_t size;
  Extension* extensions;
  Context* context;
  void* stream;  // filled in by XLA
};
struct Api {
  std::size_t size;
  Extension* extensions;
  Version version;
  const void* inner;
  Error* (*make_error)(ErrorArguments*);
  void* error_message;
  void (*give_back_error)(ErrorHandle*);
  void* add_handler;
  Error* (*stream_of)(StreamArguments*);
};

inline constexpr std::int32_t execute = 3;  // the stage in which the buffers hold numbers
struct Call {
  std::size_t size;
  Extension* extensions;
  const Api* api;
  Context* context;
  std::int32_t stage;
  Buffers arguments, results;
  Attributes attributes;
};

}  // namespace catena::xla
