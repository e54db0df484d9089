#include "system/library.hpp"
#include "system/wide.hpp"

namespace catena::system {

void* load_library(const std::string& path, std::string& why, bool& is_missing) {
  std::wstring name = wide(path);
  for (wchar_t& letter : name)
    if (letter == L'/') letter = L'\\';
  if (HMODULE library = ::LoadLibraryW(name.c_str())) return reinterpret_cast<void*>(library);
  const DWORD error = ::GetLastError();
  why = path + ": cannot be loaded: " + in_words(error);
  is_missing = error == ERROR_MOD_NOT_FOUND || error == ERROR_FILE_NOT_FOUND;
  return nullptr;
}

void* find_in_library(void* library, const char* symbol) {
  return reinterpret_cast<void*>(::GetProcAddress(reinterpret_cast<HMODULE>(library), symbol));
}

void unload_library(void* library) { ::FreeLibrary(reinterpret_cast<HMODULE>(library)); }

}  // namespace catena::system
