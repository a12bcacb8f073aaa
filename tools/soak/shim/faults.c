// Loaded into a program before everything else (LD_PRELOAD): makes the system fail as environment variables say.
//   FAULT_WRITE=N      the N-th write and all after it find the disk full
//   FAULT_SYNC=N       the N-th fdatasync fails
//   FAULT_CLOCK=S      the wall clock jumps by S seconds, back and forth
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

static int is_due(const char *name, atomic_long *count) {
  const char *text = getenv(name);
  return text && atomic_fetch_add(count, 1) + 1 >= atol(text);
}

ssize_t write(int file, const void *bytes, size_t length) {
  static atomic_long count;
  static ssize_t (*real)(int, const void *, size_t);
  if (!real)
    real = dlsym(RTLD_NEXT, "write");
  // Standard error stays: what is said there is looked at.
  if (file != 2 && is_due("FAULT_WRITE", &count)) {
    errno = ENOSPC;
    return -1;
  }
  return real(file, bytes, length);
}

int fdatasync(int file) {
  static atomic_long count;
  static int (*real)(int);
  if (!real)
    real = dlsym(RTLD_NEXT, "fdatasync");
  if (is_due("FAULT_SYNC", &count)) {
    errno = EIO;
    return -1;
  }
  return real(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static atomic_long count;
  static int (*real)(clockid_t, struct timespec *);
  if (!real)
    real = dlsym(RTLD_NEXT, "clock_gettime");
  int outcome = real(clock, now);
  const char *text = getenv("FAULT_CLOCK");
  if (text && clock == CLOCK_REALTIME)
    now->tv_sec += (atomic_fetch_add(&count, 1) % 2 ? 1 : -1) * atol(text);
  return outcome;
}
