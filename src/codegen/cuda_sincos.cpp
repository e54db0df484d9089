#include "codegen/cuda_sincos.hpp"

#include "codegen/text.hpp"

namespace catena {
namespace {

// x - m c is exact where m is an integer and the last place of c is that of 1 or 2: products are fused, so that c in
// two terms is enough. Adding 1.5 * 2^23 (2^52) rounds to the nearest m and leaves it in the low bits.
constexpr const char* any_angle = R"(/* The same angle within half a turn: any size. */
static __device__ __noinline__ @real @far(@real x)
{
  @real s, c;
  sincos@f(x, &s, &c);
  return atan2@f(s, c);
}

/* The same angle within half a turn: up to @limit. */
static __device__ __forceinline__ @real @turn(@real x)
{
  const @real m = fma@f(x, @one_over_two_pi, @rounder) - @rounder;
  return fma@f(m, @two_pi_low, fma@f(m, -@two_pi, x));
}

/* Up to @limit; error below 2 units in the last place of 1. */
static __device__ __forceinline__ void @sincos(@real x, @real *sine, @real *cosine)
{
@kernel}
)";

// Whole half turns change only both signs: a longer polynomial is cheaper than selecting sine or cosine.
constexpr const char* float_kernel = R"(  const float shifted = fmaf(x, 0.31830987f, @rounder);
  const float m = shifted - @rounder;
  const float r = fmaf(m, 8.742278e-08f, fmaf(m, -3.1415927f, x));
  const int sign = __float_as_int(shifted) << 31;
  const float z = r*r;
  const float t = __int_as_float(__float_as_int(r) ^ sign);
  const float p = fmaf(z, fmaf(z, fmaf(z, 2.600035e-06f, -0.00019806606f), 0.008333017f), -0.16666657f);
  const float q = fmaf(z, fmaf(z, fmaf(z, fmaf(z, -2.6076918e-07f, 2.4761875e-05f), -0.0013888404f), 0.04166664f), -0.5f);
  *sine = fmaf(t*z, p, t);
  *cosine = __int_as_float(__float_as_int(fmaf(z, q, 1.0f)) ^ sign);
)";
// Quarter turns: in double precision every further term costs as much as a selection.
constexpr const char* double_kernel = R"(  const double shifted = fma(x, 0.6366197723675814, @rounder);
  const double m = shifted - @rounder;
  const double r = fma(m, -6.123233995736766e-17, fma(m, -1.5707963267948966, x));
  const int n = __double2loint(shifted);
  const double z = r*r;
  double p = fma(z, 1.5896666502723286e-10, -2.5050755961364143e-08);
  double q = fma(z, -1.1358423507734694e-11, 2.0875698708362148e-09);
  double s0, c0;
  p = fma(z, p, 2.755731367866565e-06);
  q = fma(z, q, -2.755731416397538e-07);
  p = fma(z, p, -0.00019841269829771167);
  q = fma(z, q, 2.480158728880002e-05);
  p = fma(z, p, 0.00833333333332237);
  q = fma(z, q, -0.0013888888888872975);
  p = fma(z, p, -0.16666666666666632);
  q = fma(z, q, 0.041666666666666595);
  q = fma(z, q, -0.5);
  s0 = fma(r*z, p, r);
  c0 = fma(z, q, 1.0);
  *sine = (n & 1) ? c0 : s0;
  *cosine = (n & 1) ? s0 : c0;
  *sine = (n & 2) ? -*sine : *sine;
  *cosine = ((n + 1) & 2) ? -*cosine : *cosine;
)";

}  // namespace

std::string cuda_sincos_text(const std::string& name, const CodeOptions& options) {
  const bool single = options.single_precision;
  return substitute(any_angle, {{"@kernel", single ? float_kernel : double_kernel},
                                {"@sincos", name + "_sincos"},
                                {"@turn", name + "_turn"},
                                {"@far", name + "_far"},
                                {"@limit", cuda_sincos_limit(options)},
                                {"@real", single ? "float" : "double"},
                                {"@f", single ? "f" : ""},
                                {"@rounder", single ? "12582912.0f" : "6755399441055744.0"},
                                {"@one_over_two_pi", single ? "0.15915494f" : "0.15915494309189535"},
                                {"@two_pi_low", single ? "1.7484555e-07f" : "-2.4492935982947064e-16"},
                                {"@two_pi", single ? "6.2831855f" : "6.283185307179586"}});
}

std::string cuda_sincos_limit(const CodeOptions& options) { return options.single_precision ? "1e6f" : "1e12"; }

}  // namespace catena
