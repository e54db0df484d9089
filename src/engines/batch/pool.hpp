// Threads that wait for work and are reused.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace catena::batch {

class Pool {
 public:
  explicit Pool(int threads) : threads_(threads) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return threads_; }

  // Calls work(worker) once for each of the first `workers` workers; 0 is the calling thread. Returns when all are
  // done. work must not throw on threads other than the caller's.
  using Work = std::function<void(int worker)>;
  void run(int workers, const Work& work);

 private:
  void serve(int worker);

  int threads_;
  std::mutex mutex_;
  std::condition_variable started_, finished_;
  const Work* work_ = nullptr;
  int workers_ = 0, busy_ = 0;
  unsigned long turn_ = 0;
  bool ending_ = false;
  std::vector<std::thread> others_;
};

}  // namespace catena::batch
