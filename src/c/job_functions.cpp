// The functions of catena.h that are one a job; printed by tools/print_documents.py.
#include "c/handles.hpp"

using catena::c::operator""_in, catena::c::run;

catena_status catena_inverse(catena_call* call, const double* q, const double* qd, const double* qdd, double* tau) {
  return run<0, "q"_in, "qd"_in, "qdd"_in>(call, {q, qd, qdd}, tau);
}

catena_status catena_gravity(catena_call* call, const double* q, double* g) { return run<1, "q"_in>(call, {q}, g); }

catena_status catena_inertia(catena_call* call, const double* q, double* M) { return run<2, "q"_in>(call, {q}, M); }

catena_status catena_inverse_inertia(catena_call* call, const double* q, double* Minv) {
  return run<3, "q"_in>(call, {q}, Minv);
}

catena_status catena_bias(catena_call* call, const double* q, const double* qd, double* b) {
  return run<4, "q"_in, "qd"_in>(call, {q, qd}, b);
}

catena_status catena_coriolis(catena_call* call, const double* q, const double* qd, double* C) {
  return run<5, "q"_in, "qd"_in>(call, {q, qd}, C);
}

catena_status catena_factor(catena_call* call, const double* q, double* out) { return run<6, "q"_in>(call, {q}, out); }

catena_status catena_forward(catena_call* call, const double* q, const double* qd, const double* tau, double* qdd) {
  return run<7, "q"_in, "qd"_in, "tau"_in>(call, {q, qd, tau}, qdd);
}

catena_status catena_hybrid(catena_call* call, const double* q, const double* qd, const double* qdd, const double* tau,
                            double* out) {
  return run<8, "q"_in, "qd"_in, "qdd"_in, "tau"_in>(call, {q, qd, qdd, tau}, out);
}

catena_status catena_place(catena_call* call, const double* q, double* q_tree) {
  return run<9, "q"_in>(call, {q}, q_tree);
}

catena_status catena_pose(catena_call* call, const double* q, double* T) { return run<10, "q"_in>(call, {q}, T); }

catena_status catena_jacobian(catena_call* call, const double* q, double* J) { return run<11, "q"_in>(call, {q}, J); }

catena_status catena_drift(catena_call* call, const double* q, const double* qd, double* Jdot_qd) {
  return run<12, "q"_in, "qd"_in>(call, {q, qd}, Jdot_qd);
}

catena_status catena_energy(catena_call* call, const double* q, const double* qd, double* out) {
  return run<13, "q"_in, "qd"_in>(call, {q, qd}, out);
}

catena_status catena_momentum(catena_call* call, const double* q, const double* qd, double* out) {
  return run<14, "q"_in, "qd"_in>(call, {q, qd}, out);
}

catena_status catena_centroidal(catena_call* call, const double* q, double* out) {
  return run<15, "q"_in>(call, {q}, out);
}

catena_status catena_linearize(catena_call* call, const double* q, const double* qd, const double* qdd, double* out) {
  return run<16, "q"_in, "qd"_in, "qdd"_in>(call, {q, qd, qdd}, out);
}

catena_status catena_damping(catena_call* call, const double* q, const double* qd, double* V) {
  return run<17, "q"_in, "qd"_in>(call, {q, qd}, V);
}

catena_status catena_stiffness(catena_call* call, const double* q, const double* qd, const double* qdd, double* P) {
  return run<18, "q"_in, "qd"_in, "qdd"_in>(call, {q, qd, qdd}, P);
}

catena_status catena_response(catena_call* call, const double* q, const double* qd, const double* tau, double* out) {
  return run<19, "q"_in, "qd"_in, "tau"_in>(call, {q, qd, tau}, out);
}

catena_status catena_regressor(catena_call* call, const double* q, const double* qd, const double* qdd, double* Y) {
  return run<20, "q"_in, "qd"_in, "qdd"_in>(call, {q, qd, qdd}, Y);
}

catena_status catena_loop_forces(catena_call* call, const double* q, const double* qd, const double* qdd,
                                 double* loop_forces) {
  return run<21, "q"_in, "qd"_in, "qdd"_in>(call, {q, qd, qdd}, loop_forces);
}

catena_status catena_curvature(catena_call* call, const double* q, const double* qd, const double* qdd,
                               const double* lam, double* out) {
  return run<22, "q"_in, "qd"_in, "qdd"_in, "lam"_in>(call, {q, qd, qdd, lam}, out);
}

catena_status catena_response_curvature(catena_call* call, const double* q, const double* qd, const double* tau,
                                        const double* lam, double* out) {
  return run<23, "q"_in, "qd"_in, "tau"_in, "lam"_in>(call, {q, qd, tau, lam}, out);
}

catena_status catena_inverse_two(catena_call* call, const double* q, const double* qd, const double* qdd,
                                 const double* qd_r, double* tau) {
  return run<24, "q"_in, "qd"_in, "qdd"_in, "qd_r"_in>(call, {q, qd, qdd, qd_r}, tau);
}

catena_status catena_regressor_two(catena_call* call, const double* q, const double* qd, const double* qdd,
                                   const double* qd_r, double* Y) {
  return run<25, "q"_in, "qd"_in, "qdd"_in, "qd_r"_in>(call, {q, qd, qdd, qd_r}, Y);
}

catena_status catena_observer(catena_call* call, const double* q, const double* qd, double* out) {
  return run<26, "q"_in, "qd"_in>(call, {q, qd}, out);
}
