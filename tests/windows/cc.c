/* A C compiler for programs under Wine: starts the cross compiler of the system around it, with file names as that has them.
 * For tests alone; on Windows there is a gcc.exe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Wine's own: starts a program of the system around it, and waits for it where asked. */
typedef LONG(WINAPI *Spawn)(char *const words[], int waits);

/* Z:\folder\a.c and \folder\a.c become /folder/a.c; other words stay. */
static char *unix_name(char *word) {
  char *c;
  if (word[0] != '\0' && word[1] == ':' && (word[0] == 'Z' || word[0] == 'z'))
    word += 2;
  else if (word[0] != '\\')
    return word;
  for (c = word; *c != '\0'; ++c)
    if (*c == '\\') *c = '/';
  return word;
}

int main(int argc, char **argv) {
  static char compiler[] = "x86_64-w64-mingw32-gcc-posix";
  char **words = calloc((size_t)argc + 1, sizeof *words);
  const HMODULE library = GetModuleHandleA("ntdll.dll");
  const FARPROC found = library != NULL ? GetProcAddress(library, "__wine_unix_spawnvp") : NULL;
  Spawn spawn;
  int k;
  if (words == NULL || found == NULL) {
    fputs("cc: this is not Wine\n", stderr);
    return 1;
  }
  memcpy(&spawn, &found, sizeof spawn);
  words[0] = compiler;
  for (k = 1; k < argc; ++k) words[k] = unix_name(argv[k]);
  return (int)spawn(words, 1);
}
