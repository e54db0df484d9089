// The matrices of the decoupled natural orthogonal complement by their names, as they are printed: which there are, and
// those of one robot at one state.
#pragma once

#include <string_view>
#include <vector>

#include "formulations/shared/denoc_objects.hpp"

namespace catena {

// The available matrices, in the order of printing.
enum class DenocOf { link, link_and_ancestor, link_and_beyond, robot };  // beyond: or the link itself
struct DenocKind {
  std::string_view name, latex;
  DenocOf of;
  bool divides = false;  // no polynomial form
};
inline constexpr DenocKind denoc_kinds[] = {{"p", "\\mathbf{p}", DenocOf::link},
                                            {"c", "\\mathbf{c}", DenocOf::link_and_ancestor},
                                            {"c_dot", "\\dot{\\mathbf{c}}", DenocOf::link_and_ancestor},
                                            {"B", "\\mathbf{B}", DenocOf::link_and_ancestor},
                                            {"B_dot", "\\dot{\\mathbf{B}}", DenocOf::link_and_ancestor},
                                            {"V", "\\mathbf{V}", DenocOf::link},
                                            {"W", "\\mathbf{W}", DenocOf::link},
                                            {"M", "\\mathbf{M}", DenocOf::link},
                                            {"M_tilde", "\\tilde{\\mathbf{M}}", DenocOf::link},
                                            {"M_tilde_dot", "\\dot{\\tilde{\\mathbf{M}}}", DenocOf::link},
                                            {"H_tilde", "\\tilde{\\mathbf{H}}", DenocOf::link_and_ancestor},
                                            {"M_hat", "\\hat{\\mathbf{M}}", DenocOf::link, true},
                                            {"psi_hat", "\\hat{\\boldsymbol{\\psi}}", DenocOf::link, true},
                                            {"m_hat", "\\hat m", DenocOf::link, true},
                                            {"psi", "\\boldsymbol{\\psi}", DenocOf::link, true},
                                            {"Psi", "\\boldsymbol{\\Psi}", DenocOf::link_and_beyond, true},
                                            {"U", "\\mathbf{U}", DenocOf::robot, true},
                                            {"U_inverse", "\\mathbf{U}^{-1}", DenocOf::robot, true},
                                            {"N_l", "\\mathbf{N}_l", DenocOf::robot},
                                            {"N_d", "\\mathbf{N}_d", DenocOf::robot}};

template <class S>
struct DenocObject {
  const DenocKind* kind;
  std::vector<int> indices;  // joints; empty: the matrix is one for the whole robot
  DenseMatrix<S> matrix;
};

template <class S>
DenseMatrix<S> denoc_column(const Vec3<S>& v) {
  DenseMatrix<S> out(3, 1);
  out.entries = {v.x, v.y, v.z};
  return out;
}

template <class S>
DenseMatrix<S> denoc_of_pair(std::string_view name, const DenocObjects<S>& all, int i, int j) {
  if (name == "c") return denoc_column(all.c(i, j));
  if (name == "c_dot") return denoc_column(all.c_dot(i, j));
  if (name == "B") return all.B(i, j);
  if (name == "B_dot") return all.B_dot(i, j);
  return all.H_tilde(i, j);
}

template <class S>
DenseMatrix<S> denoc_of_link(std::string_view name, const DenocObjects<S>& all, int i) {
  if (name == "p") return all.p(i);
  if (name == "V") return all.V(i);
  if (name == "W") return all.W(i);
  if (name == "M") return all.M(i);
  if (name == "M_tilde") return all.M_tilde(i);
  return all.M_tilde_dot(i);
}

template <class S>
DenseMatrix<S> denoc_of_articulated(std::string_view name, const typename DenocObjects<S>::Articulated& hat, int i) {
  if (name == "M_hat") return hat.M_hat[index(i)];
  if (name == "psi_hat") return hat.psi_hat[index(i)];
  if (name == "psi") return hat.psi[index(i)];
  DenseMatrix<S> out(1, 1);
  out(0, 0) = hat.m_hat[index(i)];
  return out;
}

template <class S>
DenseMatrix<S> denoc_of_robot(std::string_view name, const DenocObjects<S>& all,
                              const typename DenocObjects<S>::Articulated& hat) {
  if (name == "N_l") return all.N_l();
  if (name == "N_d") return all.N_d();
  return all.U(hat, name == "U_inverse");
}

template <class S>
std::vector<DenocObject<S>> collect_denoc(const DenocObjects<S>& all, const std::vector<const DenocKind*>& list) {
  std::vector<DenocObject<S>> out;
  for (const DenocKind* kind : list) {
    const auto hat = kind->divides ? all.articulated() : typename DenocObjects<S>::Articulated{};
    if (kind->of == DenocOf::robot) out.push_back({kind, {}, denoc_of_robot(kind->name, all, hat)});
    if (kind->of == DenocOf::robot) continue;
    for (int i = 0; i < all.joints(); ++i) {
      if (kind->of == DenocOf::link)
        out.push_back(
            {kind,
             {all.number(i)},
             kind->divides ? denoc_of_articulated<S>(kind->name, hat, i) : denoc_of_link(kind->name, all, i)});
      for (int j = 0; j < all.joints(); ++j) {
        if (kind->of == DenocOf::link_and_ancestor && j < i && all.is_ancestor(j, i))
          out.push_back({kind, {all.number(i), all.number(j)}, denoc_of_pair(kind->name, all, i, j)});
        if (kind->of == DenocOf::link_and_beyond && all.is_ancestor(i, j))
          out.push_back({kind, {all.number(i), all.number(j)}, all.Psi(hat, i, j)});
      }
    }
  }
  return out;
}

}  // namespace catena
