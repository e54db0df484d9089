#include "engines/batch/pool.hpp"

namespace catena::batch {

Pool::Crew::~Crew() {
  {
    const std::lock_guard lock(mutex);
    ending = true;
  }
  started.notify_all();
  for (std::thread& thread : others) thread.join();
}

void Pool::run(int workers, const Work& work) {
  if (!crew_) crew_ = std::make_unique<Crew>();
  Crew& crew = *crew_;
  {
    const std::lock_guard lock(crew.mutex);
    while (int(crew.others.size()) + 1 < workers) {
      const int worker = int(crew.others.size()) + 1;
      crew.others.emplace_back([&crew, worker] { crew.serve(worker); });
    }
    crew.work = &work;
    crew.workers = workers;
    crew.busy = workers - 1;
    ++crew.turn;
  }
  if (workers > 1) crew.started.notify_all();
  // The other threads use the caller's data: this waits for them in any case.
  struct Waiting {
    Crew& crew;
    ~Waiting() {
      std::unique_lock lock(crew.mutex);
      crew.finished.wait(lock, [&] { return crew.busy == 0; });
    }
  } waiting{crew};
  work(0);
}

void Pool::Crew::serve(int worker) {
  unsigned long seen = 0;
  std::unique_lock lock(mutex);
  for (;;) {
    started.wait(lock, [&] { return ending || turn != seen; });
    if (ending) return;
    seen = turn;
    if (worker >= workers) continue;
    const Work& own = *work;
    lock.unlock();
    own(worker);
    lock.lock();
    if (--busy == 0) finished.notify_one();
  }
}

}  // namespace catena::batch
