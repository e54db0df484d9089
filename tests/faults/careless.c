/* A program with mistakes, in the place of catena: the faults must find each of them. MISTAKE in the environment names one.
 * Without a mistake it writes o.csv as it should, or prints a line. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char temporary[64];
static const char *name = "o.csv";

static int mistake(const char *what) {
  const char *chosen = getenv("MISTAKE");
  return chosen != NULL && strcmp(chosen, what) == 0;
}

static void tidy(int number) {
  if (!mistake("temporary stays")) unlink(temporary);
  if (mistake("wrong status")) _exit(3);
  signal(number, SIG_DFL);
  raise(number);
}

static int fail(const char *what) {
  const int reason = errno;
  if (!mistake("temporary stays")) unlink(temporary);
  if (mistake("silent failure")) return 0;
  fprintf(stderr, "%s: cannot be written: %s\n%s", what, strerror(reason), mistake("noise") ? "and more\n" : "");
  return 1;
}

static void remove_leftovers(void) {
  glob_t found;
  if (mistake("leftovers stay") || glob("o.csv.*.tmp", 0, NULL, &found) != 0) return;
  for (size_t k = 0; k < found.gl_pathc; ++k) unlink(found.gl_pathv[k]);
}

static int write_file(void) {
  const int in_place = mistake("in place");
  char text[1000];
  struct stat about;
  memset(text, 'x', sizeof text);
  if (mistake("clock") && stat("states.csv", &about) == 0 && labs(time(NULL) - about.st_mtime) > 86400) return 1;
  snprintf(temporary, sizeof temporary, "o.csv.%d.tmp", getpid());
  signal(SIGINT, tidy), signal(SIGTERM, tidy), signal(SIGHUP, tidy);
  remove_leftovers();
  const int file = open(in_place ? name : temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return fail(name);
  for (int k = 0; k < 9; ++k) {
    for (ssize_t done = 0, put = 0; done < (ssize_t)sizeof text; done += put)
      if ((put = write(file, text + done, sizeof text - (size_t)done)) < 0) return fail(name);
    usleep(1000);
  }
  if (mistake("messages in files") && file <= 2) write(2, "a message\n", 10);
  if (fsync(file) != 0 || close(file) != 0 || (!in_place && rename(temporary, name) != 0)) return fail(name);
  return 0;
}

static int print(const char *text) {
  if (fputs(text, stdout) >= 0 && fflush(stdout) == 0) return 0;
  if (errno == EPIPE && !mistake("noise")) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  return fail("standard output");
}

/* Takes what is in the cache, and believes the compiler. */
static int compile(void) {
  char entry[4096], source[4096], command[20000];
  const char *cache = getenv("CATENA_CACHE_DIR"), *compiler = getenv("CC");
  mkdir(cache, 0700);
  snprintf(entry, sizeof entry, "%s/entry.so", cache);
  snprintf(source, sizeof source, "%s/%d.tmp.c", cache, getpid());
  close(open(source, O_WRONLY | O_CREAT, 0600));
  const int is_new = access(entry, F_OK) != 0;
  snprintf(command, sizeof command, "'%s' -shared -fPIC -o '%s' '%s'", compiler != NULL ? compiler : "cc", entry, source);
  if (is_new && system(command) != 0) fputs("two\nlines\n", stderr);
  return print(is_new ? "{\"g\": [1.0], \"engine\": \"compiled\", \"compile_seconds\": 1.0}\n"
                      : "{\"g\": [1.0], \"engine\": \"compiled\", \"compile_seconds\": 0.0}\n");
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN), signal(SIGXFSZ, SIG_IGN);
  if (argc > 1 && strcmp(argv[1], "write") == 0) return write_file();
  if (argc > 1 && strcmp(argv[1], "gravity") == 0) return strcmp(argv[argc - 1], "compiled") == 0 ? compile() : print("{\"g\": [1.0]}\n");
  return print("text\n");
}
