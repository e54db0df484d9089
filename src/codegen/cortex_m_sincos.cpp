// Sine and cosine for processors whose hardware computes in single precision alone: no double, no library, no table
// outside of flash. docs/microcontrollers.md states the error.
#include "codegen/sincos_text.hpp"
#include "codegen/text.hpp"

namespace catena {
namespace {

// x 2/pi modulo 4, by integers. With x = w 2^(8k), w < 2^32 whole, the bytes of 2/pi before the k-th give multiples of
// 4 quarter turns; sixteen bytes from there on leave an error of 2^-61 quarter turns. A float lies no nearer than
// 2^-30 quarter turns to a multiple of one.
constexpr const char* far_text = R"(/* x = n pi/2 + r + tail for finite |x| >= 6400; n modulo 4. */
static uint32_t @name_far(float x, float *r, float *tail)
{
  static const uint8_t two_over_pi[30] = {
    0x00U, 0x00U, 0x00U, 0xA2U, 0xF9U, 0x83U, 0x6EU, 0x4EU, 0x44U, 0x15U, 0x29U, 0xFCU, 0x27U, 0x57U, 0xD1U,
    0xF5U, 0x34U, 0xDDU, 0xC0U, 0xDBU, 0x62U, 0x95U, 0x99U, 0x3CU, 0x43U, 0x90U, 0x41U, 0xFEU, 0x51U, 0x63U
  };
  float size = (x < 0.0f) ? -x : x;
  float unit = (x < 0.0f) ? -5.9604645e-08f : 5.9604645e-08f;
  float coarse, fine, head, more, sum;
  uint32_t word[4];
  uint32_t whole, n, i, first = 2U;
  uint64_t turns, part;
  for (i = 0U; i < 2U; ++i) {
    if (size < 16777216.0f) {
      size *= 256.0f;
      --first;
    }
  }
  for (i = 0U; i < 12U; ++i) {
    if (size >= 4294967296.0f) {
      size *= 0.00390625f;
      ++first;
    }
  }
  whole = (uint32_t)size;
  for (i = 0U; i < 4U; ++i) {
    const uint8_t *byte = &two_over_pi[first + (4U*i)];
    word[i] = ((uint32_t)byte[0] << 24U) | ((uint32_t)byte[1] << 16U) | ((uint32_t)byte[2] << 8U) | (uint32_t)byte[3];
  }
  /* quarter turns in units of 2^-62 */
  part = (uint64_t)whole*word[0];
  turns = part << 38U;
  part = (uint64_t)whole*word[1];
  turns += part << 6U;
  part = (uint64_t)whole*word[2];
  turns += part >> 26U;
  part = (uint64_t)whole*word[3];
  turns += part >> 58U;
  n = (uint32_t)((turns + 0x2000000000000000ULL) >> 62U);
  turns -= (uint64_t)n << 62U;
  if (turns > 0x7FFFFFFFFFFFFFFFULL) {
    turns = 0ULL - turns;
    unit = -unit;
  }
  for (i = 0U; (i < 40U) && (turns < 0x2000000000000000ULL); ++i) {
    turns <<= 1U;
    unit *= 0.5f;
  }
  /* times pi/2, its first 12 bits apart: that product is exact */
  part = turns >> 50U;
  coarse = (float)(uint32_t)part*4096.0f;
  part = (turns >> 38U) & 0xFFFULL;
  fine = (float)(uint32_t)part;
  part = (turns >> 14U) & 0xFFFFFFULL;
  fine += (float)(uint32_t)part*5.9604645e-08f;
  head = coarse*1.5708008f;
  more = (coarse*-4.454455e-06f) + (fine*1.5707964f);
  sum = head + more;
  *r = sum*unit;
  *tail = (more - (sum - head))*unit;
  return (x < 0.0f) ? (0U - n) : n;
}

)";

constexpr const char* one_text = R"(/* Of every finite angle; not a number of others. */
static void @name_one(float x, float *sine, float *cosine)
{
  float r, tail, z, half, w, s0, c0, s1, c1;
  uint32_t n = 0U;
  if ((x <= 6400.0f) && (x >= -6400.0f)) {
    /* pi/2 in four parts: the products with the first three are exact */
    const float quarters = x*0.63661975f;
    const float nearest = (quarters < 0.0f) ? (quarters - 0.5f) : (quarters + 0.5f);
    const int32_t k = (int32_t)nearest;
    const float m = (float)k;
    const float y = (x - (m*1.5708008f)) + (m*4.4107437e-06f);
    r = y + (m*4.3713953e-08f);
    tail = ((y - r) + (m*4.3713953e-08f)) - (m*2.563344e-12f);
    n = (uint32_t)k;
  } else if ((x <= 3.4028235e+38f) && (x >= -3.4028235e+38f)) {
    n = @name_far(x, &r, &tail);
  } else {
    r = x - x;
    tail = 0.0f;
  }
  z = r*r;
  half = 0.5f*z;
  w = 1.0f - half;
  s0 = r + (((r*z)*(-0.16666655f + (z*(0.00833216f - (z*0.00019515282f))))) + tail);
  c0 = w + (((1.0f - w) - half) + (((z*z)*(0.041666646f + (z*(-0.0013887368f + (z*2.4438452e-05f))))) - (r*tail)));
  s1 = ((n & 1U) != 0U) ? c0 : s0;
  c1 = ((n & 1U) != 0U) ? s0 : c0;
  *sine = ((n & 2U) != 0U) ? -s1 : s1;
  *cosine = (((n + 1U) & 2U) != 0U) ? -c1 : c1;
}

)";

}  // namespace

std::string cortex_m_sincos_text(const std::string& name) {
  return substitute(std::string(far_text) + one_text, {{"@name", name}});
}

}  // namespace catena
