#include "engines/batch/pool.hpp"

namespace catena::batch {

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  started_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void Pool::run(int workers, const Work& work) {
  {
    const std::lock_guard lock(mutex_);
    while (int(others_.size()) + 1 < workers) {
      const int worker = int(others_.size()) + 1;
      others_.emplace_back([this, worker] { serve(worker); });
    }
    work_ = &work;
    workers_ = workers;
    busy_ = workers - 1;
    ++turn_;
  }
  if (workers > 1) started_.notify_all();
  // The other threads use the caller's data: this waits for them in any case.
  struct Waiting {
    Pool& pool;
    ~Waiting() {
      std::unique_lock lock(pool.mutex_);
      pool.finished_.wait(lock, [&] { return pool.busy_ == 0; });
    }
  } waiting{*this};
  work(0);
}

void Pool::serve(int worker) {
  unsigned long seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    started_.wait(lock, [&] { return ending_ || turn_ != seen; });
    if (ending_) return;
    seen = turn_;
    if (worker >= workers_) continue;
    const Work& work = *work_;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--busy_ == 0) finished_.notify_one();
  }
}

}  // namespace catena::batch
