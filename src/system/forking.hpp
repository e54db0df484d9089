// A process that forks: the child has all memory and one thread. What waits for other threads there waits forever, so
// it is told.
#pragma once

#include <mutex>
#include <new>
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace catena::system {

// Objects of this kind are notified in the child, before fork returns there. They must not move.
class Forked {
 public:
  Forked() {
    const std::lock_guard lock(list().mutex);
    next_ = list().first;
    if (next_ != nullptr) next_->before_ = this;
    list().first = this;
  }
  virtual ~Forked() {
    const std::lock_guard lock(list().mutex);
    (before_ != nullptr ? before_->next_ : list().first) = next_;
    if (next_ != nullptr) next_->before_ = before_;
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

 protected:
  virtual void in_child() noexcept = 0;

 private:
  struct List {
    std::mutex mutex;
    Forked* first = nullptr;
  };
  // Never destroyed: objects may outlive what is static.
  static List& list() {
    static List* const all = [] {
      auto* made = new List;
#if defined(__unix__) || defined(__APPLE__)
      pthread_atfork([] { list().mutex.lock(); }, [] { list().mutex.unlock(); },
                     [] {
                       for (Forked* own = list().first; own != nullptr; own = own->next_) own->in_child();
                       list().mutex.unlock();
                     });
#endif
      return made;
    }();
    return *all;
  }

  Forked *before_ = nullptr, *next_ = nullptr;
};

// A mutex that is free in the child, whoever held it: no thread is left there that would unlock it.
class ForkedMutex final : Forked {
 public:
  void lock() { own_.lock(); }
  bool try_lock() { return own_.try_lock(); }
  void unlock() { own_.unlock(); }

 private:
  void in_child() noexcept override { new (&own_) std::mutex; }

  std::mutex own_;
};

}  // namespace catena::system
