// The straight-line body of a program in any language with infix operators: which statements, in which order, with
// which names. A dialect defines how the language spells them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/program.hpp"
#include "codegen/order.hpp"

namespace catena {

struct Dialect {
  std::function<std::string(double)> literal;
  std::function<std::string(const Argument&, int)> load;                            // entry of an input
  std::function<std::string(const std::string& name, const std::string&)> declare;  // one statement
  std::function<std::string(const Program::Output&, int, const std::string&)> store;
  std::function<std::string(int)> sine, cosine;                            // of the k-th angle
  std::function<std::string(const std::string&)> sign, reciprocal, decay;  // as expressions
  std::function<std::string(const std::vector<std::string>&)> turn;        // statements: all sines and cosines

  // For languages that remove whole turns: statements before the sums that form the angles, and the name of a term
  // after them.
  struct Term {
    std::string text;
    bool summed;  // else the term is an angle itself
  };
  std::function<std::string(const std::vector<Term>&)> take_terms{};
  std::function<std::string(std::size_t)> term{};

  // Statements after a step of the body's order, where there are any.
  std::function<std::string(std::size_t)> after_step{};

  // For compilers that are slow on long functions: a long body is written in parts, and values that one part passes to
  // another are stored in the array `kept`.
  bool in_parts = false;
  // For loops in such a body: what names begin with, the type of a value, a constant as such a value, and statements
  // that store `count` results: `value` is one that does not vary, or kept[… + i].
  std::string name{}, type{};
  std::function<std::string(const std::string&)> filled{};
  std::function<std::string(const Program::Output&, int first, int count, const std::string& value)> store_run{};
};

struct Body {
  std::string text;                // with parts: the statements before them
  std::vector<std::string> parts;  // statements, one part after the other
  int kept = 0;                    // number of values passed between parts, in kept[]
  int temporaries = 0, angles = 0;
  int most_alive = 0;  // largest number of temporaries needed later, over all statements
  std::vector<bool> used_inputs;
};

// Unless told otherwise, statements are in the order in which the formulation created them: a sweep reads what it wrote
// last, so few values stay alive (docs/generated-code.md has the comparison).
Body write_body(const Program& program, const Dialect& dialect);
Body write_body(const Program& program, const Dialect& dialect, const BodyOrder& order);

// Its figures without its text.
Body measure_body(const Program& program);

// The shortest decimal number that reads back to the same bits, always with a point or an exponent.
std::string shortest(double value);
std::string shortest(float value);

}  // namespace catena
