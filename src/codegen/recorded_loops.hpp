// The recorder of a program that is being built: scalar/loops.hpp. What is recorded next joins the latest loops unless
// it reads their results.
#pragma once

#include "catena/program.hpp"

namespace catena {

class RecordedLoops final : public LoopRecorder {
 public:
  explicit RecordedLoops(Program& program) : program_(program) {}
  std::vector<Expr> record(const LoopedProducts& products) override;
  std::vector<Expr> record(const LoopedBody& body) override;
  std::vector<Expr> record(const LoopedColumns& columns) override;

 private:
  ProgramLoops::Table table_of(const std::vector<Expr>& entries);
  ProgramLoops& loops_after(const std::vector<const ProgramLoops::Table*>& read, int joints);
  static std::size_t place(ProgramLoops& loops, ProgramLoops::Table table);
  std::vector<Expr> results(ProgramLoops& loops, std::size_t count);

  Program& program_;
};

}  // namespace catena
