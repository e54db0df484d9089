// catena equations: the equations of motion, as a person would write them.
#include "catena/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "catena/tables.hpp"
#include "codegen/escape.hpp"
#include "command.hpp"
#include "options/efforts.hpp"
#include "options/equations.hpp"
#include "options/job_options.hpp"
#include "options/model_options.hpp"
#include "output/output.hpp"
#include "output/own_files.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace equations_command {

struct Options {
  ModelOptions model;
  std::string jobs = "inertia,coriolis,gravity";
  std::string symbols, formulations, format = "latex", frame, output;
  int digits = 6;
  std::size_t limit = TermLimit{}.terms;
  bool force = false;
};

// --method NAME,JOB=NAME,...: by job. A name without a job is for all jobs that are not named.
std::map<std::string, std::string> formulations_of(const Options& options, const JobSet& jobs) {
  std::map<std::string, std::string> chosen;
  if (options.formulations.empty()) return chosen;
  std::string others;
  for (const std::string& item : split(options.formulations, ',')) {
    const std::size_t equals = item.find('=');
    const std::string job = equals == std::string::npos ? "" : item.substr(0, equals);
    const std::string name = item.substr(equals == std::string::npos ? 0 : equals + 1);
    const auto is_asked = [&](const JobInfo* asked) { return asked->name == job; };
    if (equals != std::string::npos && std::none_of(jobs.begin(), jobs.end(), is_asked))
      throw UsageError(fmt::format("--method {}: --compute has no '{}'", printable(item), printable(job)));
    std::string& own = equals == std::string::npos ? others : chosen[job];
    if (name.empty() || !own.empty())
      throw UsageError(fmt::format("--method '{}': write NAME for all jobs, JOB=NAME for one, each once",
                                   printable(options.formulations)));
    own = name;
  }
  for (const JobInfo* job : jobs) {
    if (!others.empty()) chosen.try_emplace(std::string(job->name), others);
    if (const auto own = chosen.find(std::string(job->name)); own != chosen.end())
      require_method(own->second, job->name);
  }
  return chosen;
}

void run(const Options& options) {
  const JobSet jobs = job_set(options.jobs);
  require_frame_used(options.frame, jobs);
  if (options.force && options.output.empty()) throw UsageError("--force goes with -o FILE");
  if (!options.output.empty()) require_own({options.output}, options.force);
  const Equations equations = equations_of({options.model,
                                            names_of(jobs),
                                            options.symbols,
                                            "--symbols",
                                            options.frame,
                                            TermLimit(options.limit),
                                            {},
                                            formulations_of(options, jobs)});
  const std::string text = find_format(options.format)->print(equations, options.digits);
  options.output.empty() ? emit(text) : write_text_file(options.output, text);
}

}  // namespace equations_command

void add_equations(CLI::App& program) {
  using namespace equations_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "equations", "The equations of motion as a textbook writes them, in LaTeX or plain text",
      "  catena equations pelican -o pelican.tex\n"
      "  catena equations planar2r --format text --symbols all,cx1=-a1/2,Izz1=m1*a1^2/12,cx2=-a2/2,Izz2=m2*a2^2/12\n"
      "  catena equations panda --compute gravity --symbols none --format text\n"
      "  catena equations stanford --compute inertia --symbols mass:6,com:6\n"
      "  catena equations stanford --compute coriolis --method denoc --format text\n"
      "\n"
      "--symbols: all (every constant of the robot that is not zero, and gravity), none, or a list of all, gravity,\n"
      "mass:3, com:3, inertia:3, length:a2, friction:3, rotor:3, spring:3 (joint by number or name), and relations "
      "NAME=FORMULA.\n"
      "NAME is a constant: m1, cx1, cy1, cz1, Ixx1, …, a1, d1, x1, y1, z1, fv1, fc1, Ir1, G1, k1, qr1; a new name in\n"
      "FORMULA becomes a symbol (cx1=l1-a1). Default: all for at most three joints, none for more.\n"
      "--method: results that are unique print alike; C does not, and is that of Christoffel symbols unless the\n"
      "method is denoc: that of Saha and Goel.\n"
      "Friction f(qd) stands beside C where the model has any, springs in g; --rigid leaves them out, and rotors.");
  options->model.add_dynamics(*command);
  options->model.of_links = true;  // after it: --stiff is to be said
  command->add_option("--compute", options->jobs, "jobs, see 'catena jobs'; default inertia,coriolis,gravity")
      ->type_name("JOB,...");
  command
      ->add_option("--method", options->formulations,
                   "formulations, see 'catena methods'; a name without a job is for all jobs that are not named")
      ->type_name("NAME|JOB=NAME,...");
  command->add_option("--symbols", options->symbols, "robot constants that are symbols")->type_name("all|none|LIST");
  command->add_option("--format", options->format, "a LaTeX document, or text for the terminal; default latex")
      ->check(one_of(format_names()))
      ->type_name(fmt::format("{}", fmt::join(format_names(), "|")));
  command->add_option("--frame", options->frame, "a link or frame, for jobs that take one; default the model's tool")
      ->type_name("NAME");
  command->add_option("--digits", options->digits, "significant digits of numbers; default 6")
      ->check(CLI::Range(1, 17).description(""))
      ->type_name("N");
  command->add_option("--limit", options->limit, "the most terms that a formula may have; default 20000")
      ->check(CLI::Range(1, 10'000'000).description(""))
      ->type_name("N");
  command->add_option("-o,--output", options->output, "file to write; default standard output")->type_name("FILE");
  command->add_flag("--force", options->force, "overwrite a file that catena did not write");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
