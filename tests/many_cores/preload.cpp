// Is loaded before a program by the script beside it, and tells oneTBB a number of cores. It ends the program
// where a thread begins a parallel loop while it holds a lock, runs a call_once or initialises a static
// object. A thread that waits in such a loop may take a task that asks for the same lock.
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

thread_local int held = 0;        ///< locks of this thread, and what else must not hold a loop
thread_local bool is_new = true;  ///< true until this thread calls one of these functions

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void require_no_lock() {
  is_new = false;
  if (held <= 0) return;
  std::fputs("tests/many_cores: a parallel loop begins under a lock, a call_once or a static initialiser:\n",
             stderr);
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  std::abort();
}

int cores() {
  const char* const text = std::getenv("SCANLENS_CORES");
  return text ? std::atoi(text) : 0;
}

/// Returns true if a function was called from oneTBB. Other libraries and programs see the machine as it is.
bool is_onetbb(const void* caller) {
  Dl_info info;
  return cores() > 0 && dladdr(caller, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, "libtbb");
}

int noted(int result) {
  is_new = false;
  held += result == 0;
  return result;
}

}  // namespace

extern "C" {

long sysconf(int name) noexcept {
  static const auto real = next<long(int)>("sysconf");
  if (name == _SC_NPROCESSORS_ONLN && is_onetbb(__builtin_return_address(0))) return cores();
  return real(name);
}

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) noexcept {
  static const auto real = next<int(pid_t, size_t, cpu_set_t*)>("sched_getaffinity");
  if (!is_onetbb(__builtin_return_address(0))) return real(process, bytes, set);
  CPU_ZERO_S(bytes, set);
  for (int core = 0; core < cores(); ++core) CPU_SET_S(static_cast<size_t>(core), bytes, set);
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return noted(real(mutex));
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  return noted(real(mutex));
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  const int result = real(mutex);
  held -= result == 0;
  return result;
}

int pthread_once(pthread_once_t* once, void (*work)()) {
  static const auto real = next<int(pthread_once_t*, void (*)())>("pthread_once");
  struct Holds {
    const int count = is_new ? 0 : 1;  // a thread of std::async is a call_once from its beginning to its end
    Holds() {
      is_new = false;
      held += count;
    }
    ~Holds() { held -= count; }
  } holds;
  return real(once, work);
}

// A static object's initialiser runs between these.
int __cxa_guard_acquire(long long* guard) {
  static int (*const real)(long long*) = next<int(long long*)>("__cxa_guard_acquire");
  const int initialises = real(guard);
  held += initialises;
  return initialises;
}

void __cxa_guard_release(long long* guard) {
  --held;
  next<void(long long*)>("__cxa_guard_release")(guard);
}

void __cxa_guard_abort(long long* guard) {
  --held;
  next<void(long long*)>("__cxa_guard_abort")(guard);
}

// Loops of oneTBB wait in these.
void loop_waits(void*, void*, void*, void*) asm(
    "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_");
void loop_waits(void* task, void* group, void* wait, void* waiting_group) {
  require_no_lock();
  next<void(void*, void*, void*, void*)>(
      "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_")(
      task, group, wait, waiting_group);
}

void group_waits(void*,
                 void*) asm("_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE");
void group_waits(void* wait, void* group) {
  require_no_lock();
  next<void(void*, void*)>("_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE")(wait,
                                                                                                       group);
}

void arena_executes(void*,
                    void*) asm("_ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE");
void arena_executes(void* arena, void* work) {
  require_no_lock();
  next<void(void*, void*)>("_ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE")(arena,
                                                                                                        work);
}

}  // extern "C"
