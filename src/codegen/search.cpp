// The search for the cheapest program: every choice is tried on the graph itself, which is cheap to build and to count.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "catena/program.hpp"
#include "model/asking.hpp"

namespace catena {
namespace {

constexpr int largest_exhaustive = 8;  // links; up to this number, all combinations of origins are tried
constexpr std::size_t promising = 3;   // formulations per job that are examined more closely
constexpr double hopeless = 1.3;       // a formulation this much more expensive than the best is not examined
constexpr double behind = 1.03;        // the same for a choice where origins are tried one by one
constexpr std::size_t most_work = std::size_t(1) << 24U;  // total nodes of all graphs built: a few seconds
constexpr int rounds = 2;  // each round tries every origin again, given the current origins of the others

class CheapestProgram {
 public:
  CheapestProgram(const Mechanism& robot, const ProgramRequest& request, const SearchProgress& progress)
      : robot_(robot), request_(request), progress_(progress), best_(usual_choices(robot, request)) {}

  Program run() {
    best_cost_ = cost(best_);
    const std::vector<Choices> list = candidates();
    for (std::size_t k = 0; k < list.size(); ++k) {
      begin_stage(double(k) / double(list.size() + 1), double(k + 1) / double(list.size() + 1));
      if (k > 0 && exhausted()) break;
      Choices choices = list[k];
      choices.slides = best_.slides;
      exhaustive() ? try_all_slides(choices) : try_each_slide(choices);
    }
    begin_stage(double(list.size()) / double(list.size() + 1), 1.0);
    double before = 0.0;
    for (int round = 0; round < rounds && !exhaustive() && !exhausted() && best_cost_ != before; ++round) {
      before = best_cost_;
      try_each_slide(best_);
    }
    search_omega();
    return make_program(robot_, request_, best_);
  }

 private:
  bool exhaustive() const { return robot_.joints() <= largest_exhaustive; }

  // Formulations and frames worth examining; for many joints the most promising first, since the later ones are
  // compared with it.
  std::vector<Choices> candidates() {
    std::vector<SharedFrames> frames{SharedFrames::none};
    if (has_parallel_axes(robot_)) frames.insert(frames.end(), {SharedFrames::before_first, SharedFrames::after_first});
    std::vector<std::pair<double, Choices>> ranking;
    for (const auto& formulations : promising_formulations())
      for (const SharedFrames shared : frames) {
        Choices choices = best_;
        choices.formulations = formulations;
        choices.frames = shared;
        ranking.emplace_back(exhaustive() ? 0.0 : cost(choices), std::move(choices));
      }
    std::stable_sort(ranking.begin(), ranking.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Choices> list;
    list.reserve(ranking.size());
    for (auto& [ignored, choices] : ranking) list.push_back(std::move(choices));
    return list;
  }

  // The formulations worth examining for each job by itself, then one list for each combination that changes one of
  // them: jobs of one call share little except their sines and the links' poses.
  std::vector<std::vector<std::string>> promising_formulations() {
    std::vector<std::vector<std::string>> combinations{best_.formulations};
    if (!request_.formulations.empty()) return combinations;
    for (std::size_t k = 0; k < request_.jobs.size(); ++k) {
      std::vector<std::pair<double, std::string>> ranking;
      const JobInfo& job = job_info(request_.jobs[k]);
      for (const std::string_view formulation : job.candidates(robot_)) {
        Choices choices = best_;
        choices.formulations[k] = formulation;
        ranking.emplace_back(cost(choices), formulation);
      }
      std::stable_sort(ranking.begin(), ranking.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t r = 0; r < std::min(promising, ranking.size()); ++r) {
        if (ranking[r].first > hopeless * ranking.front().first) continue;
        std::vector<std::string> formulations = best_.formulations;
        formulations[k] = ranking[r].second;
        if (std::find(combinations.begin(), combinations.end(), formulations) == combinations.end())
          combinations.push_back(formulations);
      }
    }
    return combinations;
  }

  void try_all_slides(Choices choices) {
    const std::size_t n = choices.slides.size();
    consider(choices);
    if (n < 2) return;
    for (std::size_t bits = 0; bits < std::size_t(1) << (n - 1); ++bits) {
      for (std::size_t i = 1; i < n; ++i)
        choices.slides[i] = (bits >> (i - 1) & 1U) != 0 ? Slide::to_normal : Slide::to_child;
      consider(choices);
    }
  }

  // One link after the other. The gain from the origins is similar for all formulations and frames: a choice that is
  // well behind with the best choice's origins stays behind with its own.
  void try_each_slide(Choices choices) {
    double current = cost(choices);
    if (current > behind * best_cost_) return;
    for (std::size_t i = choices.slides.size(); i-- > 1 && !exhausted();) {
      Choices other = choices;
      other.slides[i] = choices.slides[i] == Slide::to_child ? Slide::to_normal : Slide::to_child;
      const double changed = cost(other);
      if (changed < current) choices = other, current = changed;
      report(1.0 - double(i) / double(choices.slides.size()));
    }
    consider(choices);
  }

  // One link after the other, until no change helps. Most formulations have no such choice, which the first test shows.
  void search_omega() {
    Choices all = best_;
    all.early_omega.assign(all.early_omega.size(), 1);
    if (exhausted() || (!exhaustive() && cost(all) == best_cost_)) return;
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i = 0; i < best_.early_omega.size() && !exhausted(); ++i) {
        Choices other = best_;
        other.early_omega[i] = other.early_omega[i] == 0 ? 1 : 0;
        better = consider(other) || better;
        report(double(i) / double(best_.early_omega.size()));
      }
    }
  }

  bool consider(const Choices& choices) {
    const double c = cost(choices);
    if (!(c < best_cost_)) return false;
    best_cost_ = c;
    best_ = choices;
    return true;
  }

  double cost(const Choices& choices) {
    ask();
    try {
      const Program program = make_program(robot_, request_, choices);
      work_ += program.graph.size();
      return instruction_cost(program.cost());
    } catch (const std::domain_error&) {
      return std::numeric_limits<double>::infinity();
    } catch (const std::length_error&) {  // too many operations
      return std::numeric_limits<double>::infinity();
    }
  }
  bool exhausted() const { return work_ > most_work; }

  // Progress reported from here on lies between these shares of the total.
  void begin_stage(double from, double to) {
    stage_from_ = from;
    stage_to_ = to;
    report(0.0);
  }
  void report(double share) {
    reported_ = std::max(reported_, stage_from_ + share * (stage_to_ - stage_from_));  // a stage may be repeated
    if (progress_) progress_(reported_);
    ask();
  }

  const Mechanism& robot_;
  const ProgramRequest& request_;
  const SearchProgress& progress_;
  Choices best_;
  double best_cost_ = 0.0;
  std::size_t work_ = 0;
  double stage_from_ = 0.0, stage_to_ = 1.0, reported_ = 0.0;
};

}  // namespace

Program find_cheapest(const Mechanism& robot, const ProgramRequest& request, const SearchProgress& progress) {
  if (request.loops)
    if (Program usual = usual_program(robot, request); !usual.loops.empty()) return usual;  // too long to try others
  return CheapestProgram(robot, request, progress).run();
}

}  // namespace catena
