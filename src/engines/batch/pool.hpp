// Threads that wait for work and are reused. A forked child has none of them, and starts its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "system/forking.hpp"

namespace catena::batch {

class Pool final : system::Forked {
 public:
  explicit Pool(int threads) : threads_(threads) {}

  int threads() const { return threads_; }

  // Calls work(worker) once for each of the first `workers` workers; 0 is the calling thread. Returns when all are
  // done. work must not throw on threads other than the caller's. For one caller at a time.
  using Work = std::function<void(int worker)>;
  void run(int workers, const Work& work);

 private:
  struct Crew {
    ~Crew();
    void serve(int worker);

    std::mutex mutex;
    std::condition_variable started, finished;
    const Work* work = nullptr;
    int workers = 0, busy = 0;
    unsigned long turn = 0;
    bool ending = false;
    std::vector<std::thread> others;
  };
  void in_child() noexcept override { crew_.release(); }  // its threads are not there to be joined

  int threads_;
  std::unique_ptr<Crew> crew_;  // created at the first run
};

}  // namespace catena::batch
