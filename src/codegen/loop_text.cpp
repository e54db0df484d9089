#include "codegen/loop_text.hpp"

#include <algorithm>
#include <utility>

#include "catena/model/indices.hpp"
#include "codegen/text.hpp"

namespace catena {
namespace {

using Columns = ProgramLoops::Columns;
using Products = ProgramLoops::Products;

std::string number(std::size_t value) { return std::to_string(value); }
std::string number(int value) { return std::to_string(value); }

// --- products ---

// One row of the columns from `first` to before `last`, expressions, of a block that starts at `start`:
// "l0*r[j] + l1*r[38 + j]".
std::string row_text(const ProgramLoops::Factors& factors, const LoopPlaces& places, int joints,
                     const std::string& start, const std::string& first, const std::string& last,
                     const std::string& type) {
  std::string lefts, sum;
  for (int t = 0; t < factors.terms; ++t) {
    const std::string name = "l" + number(t);
    lefts += (t == 0 ? "" : ", ") + name + " = l[" + (t == 0 ? "" : number(t * joints) + " + ") + "k]";
    sum += (t == 0 ? "" : " + ") + name + "*r[" + (t == 0 ? "" : number(t * joints) + " + ") + "j]";
  }
  return substitute(R"(    {
      const @type *restrict l = kept + @left, *restrict r = kept + @right;
      const @type @lefts;
      for (int j = @first; j < @last; ++j) to[j - @start] = @sum;
    }
)",
                    {{"@type", type},
                     {"@lefts", lefts},
                     {"@left", number(places.tables[factors.left])},
                     {"@right", number(places.tables[factors.right])},
                     {"@first", first},
                     {"@last", last},
                     {"@start", start},
                     {"@sum", sum}});
}

std::string products_text(const Products& own, const LoopPlaces& places, int joints, const std::string& type) {
  const auto& [row, row_end, column, column_end, carrier] = own.block;
  const std::string first = number(column), last = number(column_end);
  std::string rows;
  if (carrier == CarriedBy::column) rows = row_text(own.below, places, joints, first, first, last, type);
  if (carrier == CarriedBy::row) rows = row_text(own.above, places, joints, first, first, last, type);
  if (carrier == CarriedBy::smaller)
    rows = row_text(own.below, places, joints, first, first, "k + 1", type) +
           row_text(own.above, places, joints, first, "k + 1", last, type);
  return substitute(R"(  for (int k = @row; k < @end; ++k) {
    @type *restrict to = kept + @result + (k - @row)*@columns;
@rows  }
)",
                    {{"@rows", rows},
                     {"@row", number(row)},
                     {"@end", number(row_end)},
                     {"@type", type},
                     {"@result", number(places.results + own.result)},
                     {"@columns", number(own.columns())}});
}

// --- right-hand sides ---

constexpr std::size_t bits = 64;  // limbs that one mask knows

bool carries(const Columns& own, int limb, int other) {
  while (other != base_link && other != limb) other = own.limbs[index(other)].above;
  return other == limb;
}

// The limbs in which column q has entries, as bits: of the unit matrix, and of matrices with entries where one joint
// carries the other.
std::string masks_text(const Columns& own, bool unit) {
  std::vector<std::size_t> limb_of(own.q_of.size());  // by q
  for (std::size_t l = 0; l < own.limbs.size(); ++l)
    for (int i = own.limbs[l].from; i < own.limbs[l].to; ++i) limb_of[index(own.q_of[index(i)])] = l;
  std::string text;
  for (const std::size_t column : limb_of) {
    unsigned long long mask = 0;
    for (std::size_t l = 0; l < std::min(own.limbs.size(), bits); ++l)
      if (carries(own, int(l), int(column)) || (!unit && carries(own, int(column), int(l)))) mask |= 1ULL << l;
    text += (text.empty() ? "" : ", ") + std::to_string(mask) + "u";
  }
  return "{" + text + "}";
}

template <class List, class Text>
std::string listed(const List& list, const Text& text) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + text(item);
  return "{" + out + "}";
}

// docs/equations/inverse_inertia.md (3)-(6).
constexpr const char* columns_text = R"(  {
    static const short q_of[@n] = @q_of;
    static const short limbs[@limbs][3] = @limb_list;
    static const int rights[@sides] = @rights, founds[@sides] = @founds;
    static const unsigned long long masks[2][@n] = {@of_matrix, @of_unit};
    const @type *const links = kept + @links, ones[2*@name_wide] = {@ones};
    @name_block w[@n][@name_blocks], ends[@limbs][6][@name_blocks];
    const int all = @sides*((@n + @name_wide - 1)/@name_wide);
    for (int done = 0; done < all; done += @name_blocks) {
      const @type *right[@name_blocks];
      @type *found[@name_blocks];
      int first[@name_blocks];
      unsigned long long mask = 0;
      char reached[@limbs];
      for (int b = 0; b < @name_blocks; ++b) {
        const int own = done + b < all ? done + b : all - 1, side = own % @sides, from = own/@sides*@name_wide;
        first[b] = from < @n - @name_wide ? from : @n - @name_wide;
        right[b] = rights[side] >= 0 ? kept + rights[side] + first[b] : 0;
        found[b] = kept + founds[side] + first[b];
        for (int k = 0; k < @name_wide; ++k) mask |= masks[rights[side] < 0][first[b] + k];
      }
      for (int l = 0; l < @limbs; ++l)
        for (int c = 0; c < 6; ++c)
          for (int b = 0; b < @name_blocks; ++b) ends[l][c][b] = (@name_block){0};
      for (int l = @limbs - 1; l >= 0; --l) {
        @name_block p[6][@name_blocks];
        if (!@touched) continue;
        for (int c = 0; c < 6; ++c)
          for (int b = 0; b < @name_blocks; ++b) p[c][b] = ends[l][c][b];
        for (int i = limbs[l][1] - 1; i >= limbs[l][0]; --i) {
          const @type *s = links + 13*i, *k = s + 6;
          @name_block u[@name_blocks];
          for (int b = 0; b < @name_blocks; ++b) {
            const int lane = q_of[i] - first[b];
            if (right[b])
              u[b] = -*(const @name_block_at *)(right[b] + q_of[i]*@n);
            else
              u[b] = *(const @name_block_at *)(ones + (lane < 0 || lane >= @name_wide ? @name_wide : @name_wide - 1 - lane));
          }
          for (int c = 0; c < 6; ++c)
            for (int b = 0; b < @name_blocks; ++b) u[b] -= s[c]*p[c][b];
          for (int c = 0; c < 6; ++c)
            for (int b = 0; b < @name_blocks; ++b) p[c][b] += k[c]*u[b];
          for (int b = 0; b < @name_blocks; ++b) w[i][b] = k[6]*u[b];
        }
        if (limbs[l][2] >= 0)
          for (int c = 0; c < 6; ++c)
            for (int b = 0; b < @name_blocks; ++b) ends[limbs[l][2]][c][b] += p[c][b];
      }
      for (int l = 0; l < @limbs; ++l) {
        @name_block a[6][@name_blocks];
        const int touched = @touched;
        reached[l] = limbs[l][2] >= 0 ? reached[limbs[l][2]] : (char)touched;
        for (int c = 0; c < 6; ++c)
          for (int b = 0; b < @name_blocks; ++b)
            a[c][b] = limbs[l][2] >= 0 ? ends[limbs[l][2]][c][b] : (@name_block){0};
        for (int i = limbs[l][0]; i < limbs[l][1]; ++i) {
          const @type *s = links + 13*i, *k = s + 6;
          @name_block x[@name_blocks];
          for (int b = 0; b < @name_blocks; ++b) x[b] = touched ? w[i][b] : (@name_block){0};
          if (reached[l]) {
            for (int c = 0; c < 6; ++c)
              for (int b = 0; b < @name_blocks; ++b) x[b] -= k[c]*a[c][b];
            for (int c = 0; c < 6; ++c)
              for (int b = 0; b < @name_blocks; ++b) a[c][b] += s[c]*x[b];
          }
          for (int b = 0; b < @name_blocks; ++b) *(@name_block_at *)(found[b] + q_of[i]*@n) = x[b];
        }
        for (int c = 0; c < 6; ++c)
          for (int b = 0; b < @name_blocks; ++b) ends[l][c][b] = a[c][b];
      }
    }
  }
)";

std::string text_of(const Columns& own, const LoopPlaces& places, const LoopWords& words) {
  const std::size_t n = own.q_of.size();
  const auto limb = [](const LoopedColumns::Limb& l) {
    return "{" + number(l.from) + ", " + number(l.to) + ", " + number(l.above) + "}";
  };
  const auto right = [&](const std::vector<std::size_t>& side) {
    return side.empty() ? std::string("-1") : number(places.tables[side.front()]);
  };
  std::size_t next = places.results + own.result;
  const auto found = [&](const auto&) { return number(std::exchange(next, next + n * n)); };
  return substitute(columns_text, {{"@q_of", listed(own.q_of, [](int q) { return number(q); })},
                                   {"@limb_list", listed(own.limbs, limb)},
                                   {"@touched", own.limbs.size() <= bits ? "(mask >> l & 1u)" : "1"},
                                   {"@limbs", number(own.limbs.size())},
                                   {"@sides", number(own.right_sides.size())},
                                   {"@rights", listed(own.right_sides, right)},
                                   {"@founds", listed(own.right_sides, found)},
                                   {"@of_matrix", masks_text(own, false)},
                                   {"@of_unit", masks_text(own, true)},
                                   {"@ones", "[" + words.name + "_wide - 1] = " + words.one},
                                   {"@type", words.type},
                                   {"@links", number(places.tables[own.links])},
                                   {"@name", words.name},
                                   {"@n", number(n)}});
}

}  // namespace

std::string loop_text(const ProgramLoops& loops, const LoopPlaces& places, const LoopWords& words) {
  std::string text;
  for (const Products& own : loops.products) text += products_text(own, places, loops.joints, words.type);
  for (const Columns& own : loops.columns) text += text_of(own, places, words);
  return text;
}

bool have_loops(const std::vector<Program>& programs) {
  return std::any_of(programs.begin(), programs.end(), [](const Program& program) { return !program.loops.empty(); });
}

// As wide as the vectors that the compiler may use, as many as fit into their registers.
std::string loop_types(const CodeOptions& options) {
  if (options.language == Language::c_batch)
    return substitute(R"(/* Columns that are solved side by side. */
typedef @name_lanes @name_block, @name_block_at;
#define @name_wide 1
#ifdef __AVX512F__
#define @name_blocks 4
#else
#define @name_blocks 2
#endif

)",
                      {{"@name", options.name}});
  return substitute(R"(/* Columns that are solved side by side. */
#if defined(__GNUC__) && defined(__AVX512F__)
#define @name_bytes 64
#define @name_blocks 4
#elif defined(__GNUC__) && defined(__AVX__)
#define @name_bytes 32
#define @name_blocks 2
#else
#define @name_bytes @size
#define @name_blocks 2
#endif
#define @name_wide (@name_bytes/@size)
#if @name_bytes > @size
typedef @real @name_block __attribute__((vector_size(@name_bytes)));
typedef @real @name_block_at __attribute__((vector_size(@name_bytes), aligned(@size), may_alias));
#else
typedef @real @name_block, @name_block_at;
#endif

)",
                    {{"@name", options.name},
                     {"@real", options.single_precision ? "float" : "double"},
                     {"@size", options.single_precision ? "4" : "8"}});
}

}  // namespace catena
