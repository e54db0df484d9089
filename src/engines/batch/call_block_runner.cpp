#include <stdexcept>

#include "engines/batch/block_runner.hpp"

namespace catena::batch {

template <class S>
CallBlockRunner<S>::CallBlockRunner(const Mechanism& robot, const JobInfo& job, const std::string& formulation,
                                    int frame)
    : call_(robot, job.name, formulation), inputs_(job.inputs_for(robot)), frame_(frame), results_(call_.size()) {
  const Sizes sizes = sizes_of(robot);
  for (const OutputInfo& output : job.outputs) sizes_.push_back(index(output.size(sizes)));
  for (const Input input : inputs_) rows_[std::size_t(input)].resize(index(info_of(input).size(sizes)));
}

template <class S>
void CallBlockRunner<S>::run_one(const BatchInputs<S>& in, const StateArray<S>* out) {
  Inputs<S> inputs;
  inputs.frame = frame_;
  for (const Input input : inputs_) {
    std::vector<S>& row = rows_[std::size_t(input)];
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = in[input](0, j);
    inputs[input] = row;
  }
  try {
    call_(inputs, results_);
  } catch (const std::invalid_argument& error) {  // caused by a state: a quaternion whose length is not 1
    throw std::domain_error(error.what());
  }
  const S* from = results_.data();
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    for (std::size_t j = 0; j < sizes_[k]; ++j) out[k](0, j) = *from++;
}

template <class S>
bool CallBlockRunner<S>::run(std::size_t states, const BatchInputs<S>& in, const StateArray<S>* out,
                             std::span<Verdict> verdicts) {
  bool good = true;
  std::array<StateArray<S>, 8> own;
  if (sizes_.size() > own.size()) throw std::logic_error("a job with many outputs");
  for (std::size_t k = 0; k < states; ++k) {
    BatchInputs<S> here;
    for (const Input input : inputs_) here[input] = in[input].from(k);
    for (std::size_t j = 0; j < sizes_.size(); ++j) own[j] = out[j].from(k);
    try {
      run_one(here, own.data());
    } catch (const std::domain_error&) {
      verdicts[k] = Verdict::failed;
      good = false;
    }
  }
  return good;
}

template class CallBlockRunner<double>;
template class CallBlockRunner<float>;

}  // namespace catena::batch
