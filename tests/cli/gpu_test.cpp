// catena gpu and catena run --device, on the stub of CUDA and where something is missing.
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace catena::gpu_cli_test {
namespace {

class GpuCli : public ProgramTest {
 protected:
  void SetUp() override {
    ::setenv("CATENA_CUDA_LIBRARY", CATENA_STUB_CUDA, 1);
    ::setenv("CATENA_NVRTC_LIBRARY", CATENA_STUB_CUDA, 1);
    ::setenv("CATENA_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    for (const char* name : {"CATENA_STUB_FAIL", "CATENA_STUB_VERSION", "CATENA_STUB_MEMORY"}) ::unsetenv(name);
  }
  // States of the UR5 as an array, and what the CPU makes of them.
  void make_states(const std::string& jobs) {
    make("states.py",
         "import numpy as np\nr = np.random.default_rng(1)\n"
         "np.save('states.npy', r.uniform(-3, 3, (5000, 18)))\n");
    ASSERT_EQ(shell(CATENA_PYTHON " states.py").status, 0);
    ASSERT_EQ(run("run ur5 --compute " + jobs + " --states states.npy -o cpu.npy").status, 0);
  }
  std::string difference(const std::string& file) {
    make("compare.py", "import numpy as np\na, b = np.load('cpu.npy'), np.load('" + file +
                           "')\nassert a.shape == b.shape and np.isfinite(b).all()\n"
                           "print(np.abs(a - b).max()/np.abs(a).max() < (1e-12 if b.dtype == np.float64 else 1e-5))\n");
    return shell(CATENA_PYTHON " compare.py").out;
  }
};

TEST_F(GpuCli, SaysWhatIsThere) {
  const nlohmann::json there = run_json("gpu");
  EXPECT_TRUE(there["usable"]);
  EXPECT_EQ(there["driver"]["version"], "13.0");
  EXPECT_EQ(there["nvrtc"]["found"], true);
  EXPECT_EQ(there["devices"].size(), 2U);
  EXPECT_EQ(there["devices"][0]["name"], "Stub 0");
  EXPECT_EQ(there["devices"][0]["capability"], "9.0");
  const Result text = run("gpu");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("cuda:1   Stub 1, compute capability 9.0"), std::string::npos) << text.out;
}

TEST_F(GpuCli, SaysWhatIsMissing) {
  ::setenv("CATENA_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  ::setenv("CATENA_NVRTC_LIBRARY", "/nowhere/libnvrtc.so", 1);
  const nlohmann::json nothing = run_json("gpu");
  EXPECT_FALSE(nothing["usable"]);
  EXPECT_NE(nothing["driver"]["why"].get<std::string>().find("no CUDA driver: /nowhere/libcuda.so.1"),
            std::string::npos);
  EXPECT_NE(nothing["nvrtc"]["why"].get<std::string>().find("NVRTC, the run-time compiler of CUDA, is missing"),
            std::string::npos);
  EXPECT_EQ(run("gpu").status, 0);
  ::setenv("CATENA_CUDA_LIBRARY", CATENA_STUB_CUDA, 1);
  ::setenv("CATENA_STUB_VERSION", "10020", 1);
  EXPECT_EQ(run_json("gpu")["driver"]["why"], "the CUDA driver is for CUDA 10.2, at least 11.0 is needed");
  ::unsetenv("CATENA_STUB_VERSION");
  ::setenv("CATENA_STUB_FAIL", "cuInit=100", 1);
  EXPECT_EQ(run_json("gpu")["driver"]["why"],
            "the CUDA driver does not start: no CUDA-capable device is detected (cuInit, error 100)");
}

TEST_F(GpuCli, RunsOnADeviceAndOnTwo) {
  make_states("inverse,inertia");
  const std::string command = "run ur5 --compute inverse,inertia --states states.npy -o ";
  const nlohmann::json about = run_json(command + "one.npy --device cuda");
  EXPECT_EQ(about["jobs"]["inverse"]["engine"], "cuda");
  EXPECT_EQ(about["jobs"]["inertia"]["registers"], 64);
  EXPECT_EQ(difference("one.npy"), "True\n");
  EXPECT_EQ(run(command + "two.npy --device cuda:0,cuda:1").status, 0);
  EXPECT_EQ(difference("two.npy"), "True\n");
  EXPECT_EQ(run(command + "float.npy --device cuda:1 --precision float").status, 0);
  EXPECT_EQ(difference("float.npy"), "True\n");
}

TEST_F(GpuCli, WrenchesActOnADeviceToo) {
  make_states("inverse,inertia");
  const std::string command = "run ur5 --compute inverse,inertia --states states.npy ";
  EXPECT_EQ(run(command + "-o pushed.npy --device cuda --wrench tool0:5,0,-20,1,2,3").status, 0);
  EXPECT_EQ(difference("pushed.npy"), "False\n");
  ASSERT_EQ(run(command + "-o cpu.npy --wrench tool0:5,0,-20,1,2,3").status, 0);
  EXPECT_EQ(difference("pushed.npy"), "True\n");
}

TEST_F(GpuCli, FailuresAreOneLineAndLeaveNoResult) {
  make_states("inverse");
  const std::string command = "run ur5 --compute inverse --states states.npy -o out.npy --device ";
  EXPECT_EQ(refused(command + "cuda:7", 1), "catena: --device cuda:7: no CUDA device 7: there are 0 to 1\n");
  EXPECT_NE(refused(command + "gpu").find("--device: 'gpu' is not a device"), std::string::npos);
  EXPECT_NE(refused(command + "cuda --engine compiled").find("--engine compiled"), std::string::npos);
  ::setenv("CATENA_STUB_FAIL", "nvrtcCompileProgram=6", 1);
  EXPECT_NE(refused(command + "cuda", 1).find("NVRTC does not compile the kernel"), std::string::npos);
  ::setenv("CATENA_STUB_FAIL", "cuStreamSynchronize#3=700", 1);
  EXPECT_NE(refused(command + "cuda", 1).find("an illegal memory access was encountered"), std::string::npos);
  ::unsetenv("CATENA_STUB_FAIL");
  ::setenv("CATENA_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  EXPECT_NE(refused(command + "cuda", 1).find("--device cuda: no CUDA driver"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npy"));
  EXPECT_EQ(run("run ur5 --compute inverse --states states.npy -o other.npy").status, 0) << "the CPU is not concerned";
}

}  // namespace
}  // namespace catena::gpu_cli_test
