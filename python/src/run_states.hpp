// Passes arrays with any leading dimensions to the library's batches.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "loaded.hpp"

namespace catena::python {

// Entry j of the state at (i, k, …): data[i strides[0] + k strides[1] + … + j by_entry].
template <class S>
struct Walk {
  S* data = nullptr;
  std::vector<std::ptrdiff_t> strides;
  std::ptrdiff_t by_entry = 1;
};
template <class S>
struct Walks {
  std::vector<std::ptrdiff_t> shape;  // leading dimensions
  std::vector<Input> of;              // which inputs
  std::vector<Walk<S>> inputs, outputs;
};

struct Extra {
  std::string formulation;
  int frame = tool_frame;
  std::vector<ExternalWrench<double>> wrenches;  // for one state; for many their numbers are an input of Walks
  int threads = 0;
  BatchEngine engine = default_engine;
  std::vector<int> devices{};  // graphics processors; empty: the CPU
};

struct RunReport : BatchReport {
  std::string not_compiled{};  // why compiled code was asked for and did not run
};

// Uses `own`, where the caller supplies a call. Throws std::domain_error where there is no result.
template <class S>
void run_one(Loaded& robot, std::size_t job, const Walks<S>& walks, const Extra& extra, Call<double>* own);
// states and first_failed count in C order of the leading dimensions. `proceed` is called now and then.
template <class S>
RunReport run_many(Loaded& robot, std::size_t job, const Walks<S>& walks, const Extra& extra,
                   const std::function<bool(double)>& proceed);

}  // namespace catena::python
