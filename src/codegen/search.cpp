// The search for the cheapest program: every choice is tried on the graph itself, which is cheap to build and to count.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "catena/codegen/program.hpp"

namespace catena {
namespace {

constexpr int largest_exhaustive = 8;  // links whose origins are tried in every combination
constexpr std::size_t promising = 3;   // formulations of a job that are looked at closer
constexpr double hopeless = 1.3;       // no formulation this much dearer than the best becomes the best

class Search {
 public:
  Search(const Mechanism& robot, const ProgramRequest& request)
      : robot_(robot), request_(request), best_(usual_choices(robot, request)) {}

  Program run() {
    best_cost_ = cost(best_);
    const auto combinations = promising_formulations();
    std::vector<SharedFrames> frames{SharedFrames::none};
    if (has_parallel_axes(robot_)) frames.insert(frames.end(), {SharedFrames::before_first, SharedFrames::after_first});
    for (const auto& formulations : combinations)
      for (const SharedFrames shared : frames) {
        Choices choices = best_;
        choices.formulations = formulations;
        choices.frames = shared;
        search_slides(choices);
      }
    search_omega();
    return make_program(robot_, request_, best_);
  }

 private:
  // For each job by itself the formulations worth a closer look, then one list for each combination that changes one of
  // them: jobs of one call share little but their sines and the links' places.
  std::vector<std::vector<std::string>> promising_formulations() const {
    std::vector<std::vector<std::string>> combinations{best_.formulations};
    if (!request_.formulations.empty()) return combinations;
    for (std::size_t k = 0; k < request_.jobs.size(); ++k) {
      std::vector<std::pair<double, std::string>> ranking;
      for (const std::string_view formulation : job_info(request_.jobs[k]).interchangeable) {
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

  void search_slides(Choices choices) {
    const std::size_t n = choices.slides.size();
    consider(choices);
    if (n < 2) return;
    if (robot_.n() <= largest_exhaustive) {
      for (std::size_t bits = 0; bits < std::size_t(1) << (n - 1); ++bits) {
        for (std::size_t i = 1; i < n; ++i)
          choices.slides[i] = (bits >> (i - 1) & 1U) != 0 ? Slide::to_normal : Slide::to_child;
        consider(choices);
      }
      return;
    }
    double current = cost(choices);  // one link after the other
    for (std::size_t i = n - 1; i >= 1; --i) {
      Choices other = choices;
      other.slides[i] = choices.slides[i] == Slide::to_child ? Slide::to_normal : Slide::to_child;
      const double changed = cost(other);
      if (changed < current) choices = other, current = changed;
    }
    consider(choices);
  }

  // One link after the other, until no change helps.
  void search_omega() {
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i = 0; i < best_.early_omega.size(); ++i) {
        Choices other = best_;
        other.early_omega[i] = other.early_omega[i] == 0 ? 1 : 0;
        better = consider(other) || better;
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

  double cost(const Choices& choices) const {
    try {
      return instruction_cost(make_program(robot_, request_, choices).cost());
    } catch (const std::domain_error&) {
      return std::numeric_limits<double>::infinity();
    }
  }

  const Mechanism& robot_;
  const ProgramRequest& request_;
  Choices best_;
  double best_cost_ = 0.0;
};

}  // namespace

Program find_cheapest(const Mechanism& robot, const ProgramRequest& request) { return Search(robot, request).run(); }

}  // namespace catena
