#include "catena/fmu.hpp"

#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "codegen/escape.hpp"
#include "engines/c/compiler.hpp"
#include "engines/sha256.hpp"
#include "fmu/model.hpp"
#include "io/zip_archive.hpp"
#include "system/own_process.hpp"
#include "system/temporary.hpp"

namespace catena {
namespace {

// The folder of this machine's binary; empty where the standard has no name for it.
std::string platform(int fmi) {
  const auto [name, processor] = system::machine();
  if (name == "macOS" || name.empty()) return "";
  if (fmi == 3) return processor + (name == "Windows" ? "-windows" : "-linux");
  return processor != "x86_64" ? "" : name == "Windows" ? "win64" : "linux64";
}

// One number for one text, so that source and description belong together.
std::string token_of(const std::string& text) { return "{" + engines::sha256(text).substr(0, 32) + "}"; }

std::string read_file(const std::string& path) {
  std::ifstream in(std::filesystem::path(path), std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// A folder that others cannot write, removed with its owner when it is empty.
class PrivateFolder {
 public:
  PrivateFolder() : path_((std::filesystem::temp_directory_path() / "catena_fmu.XXXXXX").string()) {
    if (!system::make_unique_folder(path_)) throw CompileError("no temporary folder can be made at " + path_);
    noted_ = system::note_unfinished(path_);
  }
  ~PrivateFolder() {
    system::remove_folder(path_.c_str());
    system::forget_unfinished(noted_);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  system::TemporaryName* noted_ = nullptr;
};

}  // namespace

Fmu make_fmu(const Mechanism& robot, const FmuOptions& options) {
  const fmu::Model model = fmu::make_model(robot, options);
  const std::string token =
      token_of(fmu::description_text(model, robot, options, "") + fmu::source_text(model, options, ""));
  Fmu out;
  out.files.push_back({"modelDescription.xml", fmu::description_text(model, robot, options, token)});
  out.files.push_back({"sources/fmu.c", fmu::source_text(model, options, token)});
  if (options.fmi == 3) out.files.push_back({"sources/buildDescription.xml", fmu::build_text(options)});
  out.program = model.program;
  return out;
}

void add_binary(Fmu& fmu, const FmuOptions& options, const CompileOptions& compiling) {
  const std::string machine = platform(options.fmi);
  if (machine.empty()) {
    fmu.no_binary = "FMI " + std::to_string(options.fmi) + ".0 has no name for binaries of this machine";
    return;
  }
  try {
    const jit::Compiler compiler = jit::find_compiler(compiling.compiler);
    const PrivateFolder folder;
    system::Temporary source(folder / "fmu.c"), library(folder / "fmu.so");
    system::Descriptor file = source.create(system::for_owner);
    if (!file.open() || !system::write_all(file.get(), fmu.files[1].content) || !file.close())
      throw CompileError(source.path() + " cannot be written");
    // For any machine of this kind, so without -march=native; and without names of files, the same bytes each time.
    std::vector<std::string> flags{"-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-s", "-w"};
    if (system::on_windows) flags.emplace_back("-static-libgcc");
    jit::make_library(compiler, flags, source.path(), library.path(), jit::seconds_allowed(compiling.timeout), [] {});
    fmu.files.push_back({"binaries/" + machine + "/" + options.name + (system::on_windows ? ".dll" : ".so"),
                         read_file(library.path())});
  } catch (const CompileError& error) {
    fmu.no_binary = error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    fmu.no_binary = error.what();
  }
}

std::string archive_of(const Fmu& fmu) {
  io::ZipDirectory directory;
  std::string out;
  for (const Fmu::File& file : fmu.files) {
    const uLong checksum =
        ::crc32(0, reinterpret_cast<const Bytef*>(file.content.data()), static_cast<uInt>(file.content.size()));
    out += directory.begin(file.name, static_cast<std::uint32_t>(checksum), file.content.size());
    out += file.content;
  }
  return out + directory.end();
}

}  // namespace catena
