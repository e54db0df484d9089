// Loops in generated code. Straight-line code for a robot with many joints is long: most of it are products that fill
// matrices and right-hand sides that are solved, the same few operations over and over. While a recorder is installed,
// algorithms on Expr hand such work over as a whole, and what they get back are symbols for its results.
#pragma once

#include <utility>
#include <vector>

#include "catena/scalar/expr.hpp"

namespace catena {

// Rows and columns of a matrix, and which of two joints carries the other: that of the column, that of the row, or,
// where both are of the same segment, the one with the smaller q.
enum class CarriedBy { column, row, smaller };
struct MatrixBlock {
  int row, row_end, column, column_end;
  CarriedBy carrier;
};

// A block of a matrix: its entry (k, j) is Σ_t left[t][k] right[t][j], of the factors `below` if joint j carries k or
// is k, else of those `above`.
struct LoopedProducts {
  struct Factors {
    std::vector<Expr> left, right;  // `terms` rows with a column for each joint
    int terms = 0;
  };
  MatrixBlock block;
  int joints = 0;
  Factors below, above;
};

// The same operations for every joint: what they make of one number of each row, into one of each result.
struct LoopedBody {
  std::vector<std::vector<Expr>> rows;  // with a column for each joint
  Graph graph;                          // its inputs are the rows
  std::vector<NodeRef> results;
};

// M X = R by the articulated-body recursion: docs/equations/inverse_inertia.md.
struct LoopedColumns {
  struct Limb {
    int from, to;  // links in sequence
    int above;     // the limb that carries it, or base_link
  };
  static constexpr int numbers_per_link = 13;
  std::vector<int> q_of;  // by link
  std::vector<Limb> limbs;
  std::vector<Expr> links;                     // s, k and the inverse pivot of each
  std::vector<std::vector<Expr>> right_sides;  // by rows; -R is solved for; empty: the unit matrix
};

class LoopRecorder {
 public:
  virtual ~LoopRecorder() = default;
  virtual std::vector<Expr> record(const LoopedProducts& products) = 0;  // the block, by rows
  virtual std::vector<Expr> record(const LoopedBody& body) = 0;          // rows of results in sequence
  virtual std::vector<Expr> record(const LoopedColumns& columns) = 0;    // all X in sequence, by rows

  // Of this thread; null: none.
  static LoopRecorder*& installed() {
    static thread_local LoopRecorder* recorder = nullptr;
    return recorder;
  }

 protected:
  LoopRecorder() = default;
  LoopRecorder(const LoopRecorder&) = default;
  LoopRecorder& operator=(const LoopRecorder&) = default;
};

// Installs a recorder for as long as it lives.
class RecordLoops {
 public:
  explicit RecordLoops(LoopRecorder* recorder) : before_(std::exchange(LoopRecorder::installed(), recorder)) {}
  ~RecordLoops() { LoopRecorder::installed() = before_; }
  RecordLoops(const RecordLoops&) = delete;
  RecordLoops& operator=(const RecordLoops&) = delete;

 private:
  LoopRecorder* before_;
};

}  // namespace catena
