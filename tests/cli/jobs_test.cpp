// Every job from the command line, as its description says: one state, a table as CSV and .npy, JSON, several in one
// pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "catena/job.hpp"
#include "support/program.hpp"

namespace catena::jobs_cli_test {
namespace {

using nlohmann::json;

class JobsCli : public ProgramTest {
 protected:
  // t, and numbers for q, qd, qdd, tau and so on of three joints.
  static constexpr const char* rows[] = {"0,0.1,0.2,0.3,1,-1,0.5,2,1,-1,3,2,1", "0.5,-1,0.5,2,0,0.3,-2,1,1,1,-5,4,2"};

  // The columns of this table that a job takes, and the same as options.
  struct States {
    std::string table;
    std::vector<std::string> options;
  };
  static States states_of(const std::vector<json>& jobs) {
    States out;
    out.table = "t";
    std::vector<std::pair<std::string, std::size_t>> taken;  // each input, and which three of a row are its numbers
    for (std::size_t k = 0; k < std::size(all_inputs); ++k) {
      const std::string name(all_inputs[k].name);
      const auto takes = [&](const json& job) {
        return std::find(job["inputs"].begin(), job["inputs"].end(), name) != job["inputs"].end();
      };
      if (!all_inputs[k].by_joint() || std::none_of(jobs.begin(), jobs.end(), takes)) continue;
      taken.emplace_back(name, k % 4);
      for (int j = 1; j <= 3; ++j) out.table += "," + name + std::to_string(j);
    }
    out.table += "\n";
    for (const char* row : rows) {
      std::vector<std::string> cells;
      std::istringstream text(row);
      for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
      std::string line = cells[0], options;
      for (const auto& [name, k] : taken) {
        const std::string values = cells[1 + 3 * k] + "," + cells[2 + 3 * k] + "," + cells[3 + 3 * k];
        line += "," + values;
        options += " --" + name + "=" + values;
      }
      out.table += line + "\n";
      out.options.push_back(options);
    }
    return out;
  }
  static void append(const json& value, std::vector<double>& flat) {
    if (value.is_array()) {
      for (const json& element : value) append(element, flat);
    } else {
      flat.push_back(value.get<double>());
    }
  }
  // What an output is called beside those of other jobs.
  static std::string name_of(const json& output, const json& job, const std::vector<json>& jobs) {
    const std::string name = output["name"].get<std::string>();
    for (const json& other : jobs)
      for (const json& theirs : other["outputs"])
        if (other["name"] != job["name"] && theirs["name"] == name) return name + "_" + job["name"].get<std::string>();
    return name;
  }
  // The outputs of jobs in a row, by their names.
  static std::vector<double> outputs(const json& result, const std::vector<json>& jobs) {
    std::vector<double> flat;
    for (const json& job : jobs)
      for (const json& output : job["outputs"]) append(result.at(name_of(output, job, jobs)), flat);
    return flat;
  }
  static std::vector<std::vector<double>> numbers(const std::string& csv) {
    std::istringstream text(csv);
    std::string line;
    std::getline(text, line);
    std::vector<std::vector<double>> table;
    while (std::getline(text, line)) {
      table.emplace_back();
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) table.back().push_back(std::stod(cell));
    }
    return table;
  }
  // One state, a table, JSON of a table and .npy give the same bits.
  void expect_same_everywhere(const std::string& command, const std::vector<json>& jobs) {
    SCOPED_TRACE(command);
    const States states = states_of(jobs);
    make("states.csv", states.table);
    const auto table = numbers(run(command + " --states states.csv").out);
    const json all = run_json(command + " --states states.csv");
    ASSERT_EQ(table.size(), states.options.size());
    std::vector<double> expected_all;
    for (std::size_t k = 0; k < states.options.size(); ++k) {
      const std::vector<double> one = outputs(run_json(command + states.options[k]), jobs);
      std::vector<double> row(table[k].begin() + 1, table[k].end());  // behind t
      EXPECT_EQ(row, one);
      EXPECT_EQ(run(command + states.options[k]).status, 0);
      json of_row;
      for (const json& job : jobs)
        for (const json& output : job["outputs"]) {
          const std::string name = name_of(output, job, jobs);
          of_row[name] = all.at(name).at(k);
        }
      EXPECT_EQ(outputs(of_row, jobs), one);
      expected_all.insert(expected_all.end(), one.begin(), one.end());
    }
    const json written = run_json(command + " --states states.csv -o results.npy");
    EXPECT_EQ(written["rows"], 2);
    const std::string bytes = contents(folder_ / "results.npy");
    ASSERT_GE(bytes.size(), 8 * expected_all.size());
    std::vector<double> values(expected_all.size());
    if (!values.empty())  // a job may give nothing
      std::memcpy(values.data(), bytes.data() + bytes.size() - 8 * values.size(), 8 * values.size());
    EXPECT_EQ(values, expected_all);
  }
};

TEST_F(JobsCli, EveryJobAtOneStateAndOverTables) {
  const json described = run_json("jobs");
  EXPECT_GE(described["jobs"].size(), 11u);
  for (const json& job : described["jobs"]) {
    const std::string name = job["name"].get<std::string>();
    expect_same_everywhere(name + " planar3r", {job});
    for (const json& method : job["methods"])
      EXPECT_EQ(run_json(name + " planar3r --method " + method.get<std::string>())["method"], method);
    EXPECT_NE(run(name + " --help").out.find(job["outputs"][0]["name"].get<std::string>()), std::string::npos);
    EXPECT_NE(refused(name + " planar3r --method guess").find("--method: no formulation 'guess'"), std::string::npos);
    EXPECT_NE(refused(name + " planar3r --q 1,2,3 --states states.csv").find("leave out --q"), std::string::npos);
    EXPECT_NE(refused(name + " planar3r -o file.csv").find("-o goes with --states"), std::string::npos);
  }
}

TEST_F(JobsCli, SeveralJobsInOnePass) {
  const json described = run_json("jobs");
  std::vector<json> some;
  std::string names;
  for (const json& job : described["jobs"]) {
    const json& inputs = job["inputs"];
    if (std::find(inputs.begin(), inputs.end(), "tau") != inputs.end()) continue;  // what inverse gives
    some.push_back(job);
    names += (names.empty() ? "" : ",") + job["name"].get<std::string>();
  }
  expect_same_everywhere("run planar3r --compute " + names, some);
  const json both = run_json("run planar3r --compute inverse,forward");
  EXPECT_TRUE(both.contains("tau_inverse") && both.contains("qdd_forward"));
  EXPECT_EQ(both["jobs"]["forward"]["method"], "composite-ldlt");
  EXPECT_NE(refused("run planar3r --compute inertia --qdd 1,2,3").find("--qdd: no job of --compute takes it"),
            std::string::npos);
  EXPECT_NE(refused("run planar3r --compute inertia --wrench link1:1,2,3,4,5,6").find("--wrench"), std::string::npos);
  EXPECT_NE(refused("run planar3r --compute inertia --frame link1").find("--frame"), std::string::npos);
  EXPECT_NE(refused("run planar3r --compute inertia,inertia").find("asked for twice"), std::string::npos);
  EXPECT_NE(refused("run planar3r --compute inertai").find("did you mean 'inertia'?"), std::string::npos);
  EXPECT_NE(refused("run planar3r --compute inertia,bias --method denoc").find("single job"), std::string::npos);
}

// A table that already has the results of an earlier run keeps what is not ours and gets new ones.
TEST_F(JobsCli, ResultsOfAnEarlierRunAreReplaced) {
  make("states.csv", "t,q1,q2,q3,M1_1,tau1\n7,0.1,0.2,0.3,1234,1234\n");
  const std::string out = run("inertia planar3r --states states.csv").out;
  EXPECT_EQ(out.find("t,tau1,M1_1,M1_2,M1_3,M2_1"), 0u) << out;
  EXPECT_EQ(out.find("1234", out.find("7,1234") + 6), std::string::npos) << out;
}

}  // namespace
}  // namespace catena::jobs_cli_test
