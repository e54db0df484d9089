#include <utility>

#include "catena/dynamics/matrices.hpp"
#include "engine.hpp"

namespace catena {

template <class S>
Call<S>::Call(std::unique_ptr<Engine<S>> engine) : engine_(std::move(engine)) {}
template <class S>
Call<S>::~Call() = default;
template <class S>
Call<S>::Call(Call&&) noexcept = default;
template <class S>
Call<S>& Call<S>::operator=(Call&&) noexcept = default;

template <class S>
const FormulationInfo& Call<S>::method() const {
  return engine_->info;
}

template class Call<double>;
template class Call<float>;

}  // namespace catena
