#include "codegen/sincos_text.hpp"

#include "codegen/text.hpp"

namespace catena {
namespace {

// x minus m quarter turns, subtracted in several terms, then two polynomials: s0 and c0 of type @T, for one angle or
// for lanes. Error below 1.25 units in the last place up to the limit; in single precision below 2.
// The polynomials in z = r², in double precision.
constexpr const char* double_polynomials = R"(  @T p = z*1.5896666502723286e-10 - 2.5050755961364143e-08;
  @T q = z*-1.1358423507734694e-11 + 2.0875698708362148e-09;
  @T s0, c0;
  p = z*p + 2.755731367866565e-06;
  q = z*q - 2.755731416397538e-07;
  p = z*p - 0.00019841269829771167;
  q = z*q + 2.480158728880002e-05;
  p = z*p + 0.00833333333332237;
  q = z*q - 0.0013888888888872975;
  p = z*p - 0.16666666666666632;
  q = z*q + 0.041666666666666595;
)";
constexpr const char* double_steps = R"(  const @T r1 = x - m*1.5707963267341256;
  const @T r = r1 - m*6.077100506303966e-11;
  const @T tail = ((r1 - r) - m*6.077100506303966e-11) - m*2.0222662487959506e-21;
  const @T z = r*r;
  const @T half = 0.5*z;
  const @T w = 1.0 - half;
@polynomials  s0 = r + ((r*z)*p + tail);
  c0 = w + (((1.0 - w) - half) + ((z*z)*q - r*tail));
)";
constexpr const char* float_steps = R"(  const @T r = ((x - m*1.5703125f) - m*0.0004837512969970703f) - m*7.54979e-08f;
  const @T z = r*r;
  const @T s0 = r + (r*z)*(-0.16666655f + z*(0.00833216f - z*0.00019515282f));
  const @T c0 = 1.0f - 0.5f*z + (z*z)*(0.041666646f + z*(-0.0013887368f + z*2.4438452e-05f));
)";

// Freestanding, without the C library: angles beyond the range of the approximation are first reduced by whole turns.
constexpr const char* double_reduction =
    R"(/* The same angle within one turn: to 1e12 rad with an error below 1e-15, not a number beyond. */
static double @reduced(double x)
{
  /* x = (2^20 m + k) pi/2 + r, both multiples of pi/2 in three parts each: no difference rounds before the last */
  const double t = x*6.071279262233557e-07;
  double m, y, u, r;
  int k;
  if (!(x <= 1e12 && x >= -1e12)) return (x - x)/(x - x);
  m = (double)(int)(t + (t < 0.0 ? -0.5 : 0.5));
  y = x - m*1647099.3291015625;
  u = (y - m*6.372301740498187e-05)*0.6366197723675814;
  k = (int)(u + (u < 0.0 ? -0.5 : 0.5));
  r = ((y - (double)k*1.5707963267341256) - m*6.372301740498187e-05) - (double)k*6.077100506303966e-11;
  return (r - (m*2.1204998540974627e-15 + (double)k*2.0222662487959506e-21)) + (double)(k & 3)*1.5707963267948966;
}

)";
constexpr const char* float_reduction = R"(/* Less whole turns: to 1e9 rad, not a number beyond. */
static float @reduced(float x)
{
  const double t = (double)x*0.15915494309189535;
  double m;
  if (!(x <= 1e9f && x >= -1e9f)) return (x - x)/(x - x);
  m = (double)(int)(t + (t < 0.0 ? -0.5 : 0.5));
  return (float)((double)x - m*6.283185307179586);
}

)";

// One angle: the approximation within its range, @far beyond.
constexpr const char* one_angle = R"(static void @one(@real x, @real *sine, @real *cosine)
{
  @real quarters, m;
  int n;
  if (!(x <= @limit && x >= -@limit)) {
@far  }
  /* x = n pi/2 + r, |r| <= pi/4; the tail is what rounding took from r */
  quarters = x*@two_over_pi;
  n = (int)(quarters + (quarters < @zero ? -@half : @half));
  m = (@real)n;
@kernel  *sine = (n & 1) ? c0 : s0;
  *cosine = (n & 1) ? s0 : c0;
  *sine = (n & 2) ? -*sine : *sine;
  *cosine = ((n + 1) & 2) ? -*cosine : *cosine;
}

)";
constexpr const char* far_by_library = R"(    *sine = sin@f(x);
    *cosine = cos@f(x);
    return;
)";
constexpr const char* far_reduced = R"(    x = @reduced(x);
)";
constexpr const char* one_by_library = R"(static void @one(@real x, @real *sine, @real *cosine)
{
  *sine = sin@f(x);
  *cosine = cos@f(x);
}

)";

// Several angles: in one vector where the processor has vectors.
constexpr const char* several_angles = R"(static @inline void @name(@parameters, @real *sine, @real *cosine)
{
#ifdef @VECTORS
  const @lanes x = {@angles};
  @lanes s, c;
  @name_vector(&x, &s, &c);
  __builtin_memcpy(sine, &s, sizeof s);
  __builtin_memcpy(cosine, &c, sizeof c);
#else
@each#endif
}

)";
constexpr const char* vectors_end = R"(#else
#define @ALWAYS
#endif

)";
constexpr const char* vectors_begin = R"(#if defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__))
#define @VECTORS
#define @ALWAYS inline __attribute__((always_inline))
typedef @real @lanes __attribute__((vector_size(16)));
typedef @integer @bits __attribute__((vector_size(16)));

)";

constexpr const char* lanes_kernel =
    R"(static @inline void @name_vector(const @lanes *angle, @lanes *sine, @lanes *cosine)
{
  const @lanes x = *angle;
  /* x = m pi/2 + r; adding 1.5*2^@digits rounds to the nearest m and leaves it in the low bits */
  const @lanes shifted = x*@two_over_pi + @rounder;
  const @lanes m = shifted - @rounder;
  const @bits quadrant = (@bits)shifted;
@kernel  const @bits s = (@bits)s0, c = (@bits)c0, swap = (s ^ c) & -(quadrant & 1);
  int k, far = 0;
  *sine = (@lanes)((s ^ swap) ^ ((quadrant & 2) << @top));
  *cosine = (@lanes)((c ^ swap) ^ (((quadrant + 1) & 2) << @top));
  for (k = 0; k < @count; ++k) far |= !(x[k] <= @limit && x[k] >= -@limit);
  if (far)
    for (k = 0; k < @count; ++k) {
@far    }
}

)";

// For batches: angles beyond the range are detected afterwards, for many states at once, by the sum of all m*m. With
// `careful` those lanes are computed one by one; the result of a lane does not depend on its neighbours. The rounding
// error of r is not corrected: error below 2 units in the last place of 1.
constexpr const char* batch_kernel =
    R"(static __attribute__((noinline, cold)) void @name_apart(const @lanes *x, @lanes *sine, @lanes *cosine)
{
  int k;
  for (k = 0; k < @count; ++k)
    if (!((*x)[k] <= @limit && (*x)[k] >= -@limit)) {
      @real s1, c1;
      @one((*x)[k], &s1, &c1);
      (*sine)[k] = s1;
      (*cosine)[k] = c1;
    }
}

static @inline void @name_vector(const @lanes *angle, @lanes *sine, @lanes *cosine, int careful, @lanes *turns)
{
  const @lanes x = *angle;
  /* x = m pi/2 + r; adding 1.5*2^@digits rounds to the nearest m and leaves it in the low bits */
  const @lanes shifted = x*@two_over_pi + @rounder;
  const @lanes m = shifted - @rounder;
  const @bits quadrant = (@bits)shifted;
@kernel  /* odd quadrants swap the two; bit 1 of the quadrant, and of the next, is the sign */
  const @bits s = (@bits)s0, c = (@bits)c0, odd = (quadrant << (@top + 1)) >> (@top + 1);
  @lanes s1 = (@lanes)(((s & ~odd) | (c & odd)) ^ ((quadrant << @top) & @sign));
  @lanes c1 = (@lanes)(((c & ~odd) | (s & odd)) ^ (((quadrant + 1) << @top) & @sign));
  *turns += m*m;
  if (__builtin_expect(careful, 0)) {
    const @lanes x2 = x;
    @lanes s2 = s1, c2 = c1;
    @name_apart(&x2, &s2, &c2);
    s1 = s2;
    c1 = c2;
  }
  *sine = s1;
  *cosine = c1;
}

)";
// Without the correction for the rounding of r.
constexpr const char* double_batch_kernel =
    R"(  const @T r = ((x - m*1.5707963267341256) - m*6.077100506303966e-11) - m*2.0222662487959506e-21;
  const @T z = r*r;
@polynomials  q = z*q - 0.5;
  s0 = r + (r*z)*p;
  c0 = z*q + 1.0;
)";

constexpr const char* lanes_far = R"(      @real s1, c1;
      @one(x[k], &s1, &c1);
      (*sine)[k] = s1;
      (*cosine)[k] = c1;
)";

constexpr const char* lanes_by_library =
    R"(static @inline void @name_vector(const @lanes *angle, @lanes *sine, @lanes *cosine)
{
  const @lanes x = *angle;
  int k;
  for (k = 0; k < @count; ++k) {
    (*sine)[k] = sin@f(x[k]);
    (*cosine)[k] = cos@f(x[k]);
  }
}

)";

constexpr const char* batch_by_library =
    R"(static @inline void @name_vector(const @lanes *angle, @lanes *sine, @lanes *cosine, int careful, @lanes *turns)
{
  const @lanes x = *angle;
  int k;
  for (k = 0; k < @count; ++k) {
    (*sine)[k] = sin@f(x[k]);
    (*cosine)[k] = cos@f(x[k]);
  }
  (void)careful;
  (void)turns;
}

)";

std::string filled(std::string text, const std::string& name, const CodeOptions& options, int lanes) {
  const bool single = options.single_precision;
  return substitute(std::move(text), {{"@reduced", name + "_reduced"},
                                      {"@one", name + "_one"},
                                      {"@name", name},
                                      {"@real", single ? "float" : "double"},
                                      {"@integer", single ? "int" : "long long"},
                                      {"@f", single ? "f" : ""},
                                      {"@limit", single ? "8192.0f" : "1e5"},
                                      {"@two_over_pi", single ? "0.63661975f" : "0.6366197723675814"},
                                      {"@zero", single ? "0.0f" : "0.0"},
                                      {"@half", single ? "0.5f" : "0.5"},
                                      {"@rounder", single ? "12582912.0f" : "6755399441055744.0"},
                                      {"@digits", single ? "23" : "52"},
                                      {"@top", single ? "30" : "62"},
                                      {"@sign", single ? "(-2147483647 - 1)" : "(-9223372036854775807LL - 1)"},
                                      {"@inline", options.language == Language::c ? name + "_always" : "inline"},
                                      {"@VECTORS", name + "_in_vectors"},
                                      {"@ALWAYS", name + "_always"},
                                      {"@lanes", options.name + "_lanes"},
                                      {"@bits", options.name + "_bits"},
                                      {"@count", std::to_string(lanes)}});
}

std::string kernel(const CodeOptions& options, const std::string& type) {
  return substitute(options.single_precision ? float_steps : double_steps,
                    {{"@polynomials", double_polynomials}, {"@T", type}});
}

// One angle of any size.
std::string one_angle_text(const CodeOptions& options) {
  if (options.sines == SineSource::library) return one_by_library;
  const bool alone = options.sines == SineSource::freestanding;
  const std::string before = !alone ? "" : options.single_precision ? float_reduction : double_reduction;
  return before +
         substitute(one_angle, {{"@far", alone ? far_reduced : far_by_library}, {"@kernel", kernel(options, "@real")}});
}

// One vector of angles of any size.
std::string lanes_text(const CodeOptions& options) {
  if (options.sines == SineSource::library) return lanes_by_library;
  return substitute(lanes_kernel, {{"@far", lanes_far}, {"@kernel", kernel(options, "@lanes")}});
}

}  // namespace

int lanes_of(const CodeOptions& options) {
  return options.lanes > 0 ? options.lanes : options.single_precision ? 8 : 4;
}

int angles_at_once(const CodeOptions& options) {
  const bool alone = options.sines == SineSource::library || options.target == Target::cortex_m;
  return alone ? 1 : options.single_precision ? 4 : 2;
}

std::string scalar_sincos_text(const std::string& name, const CodeOptions& options) {
  if (options.target == Target::cortex_m) return cortex_m_sincos_text(name);
  const int several = angles_at_once(options);
  std::string single = filled(one_angle_text(options), name, options, 1);
  if (several == 1) return single;
  std::string parameters, angles, each;
  for (int k = 0; k < several; ++k) {
    const std::string i = std::to_string(k);
    parameters.append(k == 0 ? "@real x" : ", @real x").append(i);
    angles.append(k == 0 ? "x" : ", x").append(i);
    each.append("  @one(x").append(i).append(", sine + ").append(i).append(", cosine + ").append(i).append(");\n");
  }
  const std::string wrapper =
      substitute(several_angles, {{"@parameters", parameters}, {"@angles", angles}, {"@each", each}});
  return single + filled(vectors_begin + lanes_text(options) + vectors_end + wrapper, name, options, several);
}

// The square of the quarter turns within the limit, rounded down.
std::string sincos_turns(const CodeOptions& options) { return options.single_precision ? "2.7e7f" : "4.0e9"; }

std::string vector_sincos_text(const std::string& name, const CodeOptions& options) {
  if (options.sines == SineSource::library) return filled(batch_by_library, name, options, lanes_of(options));
  const std::string text = options.single_precision ? float_steps : double_batch_kernel;
  const std::string lanes = substitute(
      batch_kernel, {{"@kernel", substitute(text, {{"@polynomials", double_polynomials}, {"@T", "@lanes"}})}});
  return filled(one_angle_text(options) + lanes, name, options, lanes_of(options));
}

}  // namespace catena
