// Tables of arrays as NumPy itself writes and reads them: types, orders, dimensions, archives, and what is wrong with
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace catena::numpy_cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class NumpyCli : public ProgramTest {
 protected:
  // Runs Python with `numpy as np` and returns what it prints.
  std::string python(const std::string& script) const {
    make("script.py", "import numpy as np, zipfile, io, struct, os\n" + script);
    const Result result = shell(CATENA_PYTHON " script.py");
    EXPECT_EQ(result.status, 0) << script << result.err;
    return result.out;
  }
  json torques(const std::string& arguments) const { return run_json("inverse planar2r " + arguments)["tau"]; }
};

constexpr const char* table =
    "rng = np.random.default_rng(5)\n"
    "a = rng.integers(-3, 4, (40, 6)).astype(float)\n"
    "np.save('a.npy', a)\n";

TEST_F(NumpyCli, EveryTypeAndOrderGivesTheSameTorques) {
  python(std::string(table) +
         "for kind in ['<f8', '>f8', '<f4', '>f4', '<i8', '>i8', '<i4', '>i4', '<i2', '>i2', '|i1']:\n"
         "    for order in 'CF':\n"
         "        np.save('%s%s.npy' % (kind.strip('<>|') + ('b' if kind[0] == '>' else ''), order),\n"
         "                np.array(a, dtype=kind, order=order))\n"
         "np.save('u1C.npy', np.abs(a).astype('|u1'))\n"
         "np.save('positive.npy', np.abs(a))\n"
         "np.save('u8C.npy', np.abs(a).astype('>u8'))\n");
  const json expected = torques("--states a.npy");
  ASSERT_EQ(expected.size(), 40U);
  for (const char* type : {"f8", "f8b", "f4", "f4b", "i8", "i8b", "i4", "i4b", "i2", "i2b", "i1"})
    for (const char* order : {"C", "F"}) {
      const std::string file = std::string(type) + order + ".npy";
      EXPECT_EQ(torques("--states " + file), expected) << file;
      EXPECT_EQ(torques("--states - <" + file), expected) << file;
    }
  for (const char* file : {"u1C.npy", "u8C.npy"})
    EXPECT_EQ(torques(std::string("--states ") + file), torques("--states positive.npy"));
  const Result piped = shell("cat f4bF.npy | \"$CATENA\" inverse planar2r --states - --json");
  EXPECT_EQ(json::parse(piped.out)["tau"], expected) << piped.err;
}

TEST_F(NumpyCli, ThreeDimensionsAreTablesOneAfterTheOther) {
  python(
      std::string(table) +
      "np.save('c.npy', a.reshape(5, 8, 6))\n"
      "np.save('f.npy', np.asfortranarray(a.reshape(5, 8, 6)))\n"
      "np.savez('a.npz', q=a[:, :2].reshape(5, 8, 2), qd=a[:, 2:4].reshape(5, 8, 2), qdd=a[:, 4:].reshape(5, 8, 2),\n"
      "         t=np.arange(40.0).reshape(5, 8))\n"
      "np.save('four.npy', a.reshape(1, 5, 8, 6))\n");
  for (const char* file : {"c.npy", "f.npy", "a.npz"})
    EXPECT_EQ(torques(std::string("--states ") + file), torques("--states a.npy")) << file;
  EXPECT_NE(refused("inverse planar2r --states four.npy").find("(rows, columns) or (tables, rows, columns)"),
            std::string::npos);
  // A motion is one table: between two of them there would be a jump.
  EXPECT_EQ(refused("inverse planar2r --trajectory c.npy --rate 10"),
            "c.npy: the array's shape is (5, 8, 6); a table is (rows, columns), one row per state\n");
}

TEST_F(NumpyCli, ArchivesAreReadByTheNamesOfTheirArrays) {
  python(std::string(table) +
         "parts = dict(q=a[:, :2], qd=a[:, 2:4], qdd=a[:, 4:])\n"
         "np.savez('stored.npz', **parts)\n"
         "np.savez_compressed('packed.npz', **parts)\n"
         "np.savez('mixed.npz', qdd=parts['qdd'].astype('>f4'), names=np.array(['a', 'b']), "
         "q=np.asfortranarray(parts['q']),\n"
         "         other=np.zeros((3, 3)), qd=parts['qd'].astype('i4'), tau=np.zeros((40, 2)))\n"
         "np.savez_compressed('fortran.npz', **{k: np.asfortranarray(v) for k, v in parts.items()})\n"
         "with open('comment.npz', 'wb') as f: f.write(open('packed.npz', 'rb').read())\n"
         "with zipfile.ZipFile('comment.npz', 'a') as z: z.comment = b'by hand ' * 100\n"
         "np.savez('q.npz', q=a[:, :2])\n"
         "np.save('q.npy', a[:, :2])\n"
         "np.savez('timed.npz', t=0.5 * np.arange(40), q=a[:, :2], note=np.ones((40, 3)))\n");
  const json expected = torques("--states a.npy");
  for (const char* file : {"stored.npz", "packed.npz", "mixed.npz", "fortran.npz", "comment.npz"})
    EXPECT_EQ(torques(std::string("--states ") + file), expected) << file;
  EXPECT_EQ(torques("--states q.npz"), torques("--states q.npy"));
  const std::string csv = run("inverse planar2r --states timed.npz").out;
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "t,note1,note2,note3,tau1,tau2");
  EXPECT_NE(csv.find("\n19.5,1,1,1,"), std::string::npos);
  EXPECT_EQ(
      refused("inverse planar2r --states - <stored.npz"),
      "standard input: a .npz archive has its directory at the end and cannot be read from a pipe; give a file\n");
}

TEST_F(NumpyCli, OneJointMayHaveOneNumberARow) {
  make("one.toml",
       "name = \"one\"\nconvention = \"classic\"\n[[link]]\njoint = \"revolute\"\na = 1.0\nalpha = 1.0\nmass = 1.0\n"
       "com = [-0.5, 0.0, 0.0]\ninertia = [0.1, 0.1, 0.1]\n");
  python("np.savez('flat.npz', q=np.arange(5.0))\nnp.savez('deep.npz', q=np.arange(5.0)[:, None])\n");
  EXPECT_EQ(run_json("gravity one.toml --states flat.npz"), run_json("gravity one.toml --states deep.npz"));
  EXPECT_EQ(run_json("gravity one.toml --states flat.npz")["g"].size(), 5U);
}

TEST_F(NumpyCli, NumpyReadsWhatIsWritten) {
  python(std::string(table));
  ASSERT_EQ(run("run planar2r --compute inverse,inertia,pose,energy --states a.npy -o out.npz").status, 0);
  ASSERT_EQ(run("trajectory planar2r --to 1,1 --time 2 --samples 21 -o motion.npz").status, 0);
  ASSERT_EQ(run("inverse planar2r --trajectory motion.npz -o tau.npz").status, 0);
  ASSERT_EQ(run("simulate planar2r --time 0.1 --samples 11 -o fall.npz").status, 0);
  EXPECT_EQ(python("for name in ['out', 'motion', 'tau']:\n"
                   "    z = np.load(name + '.npz')\n"
                   "    assert zipfile.ZipFile(name + '.npz').testzip() is None\n"
                   "    print(name, [(k, z[k].shape, str(z[k].dtype)) for k in z.files])\n"),
            "out [('tau', (40, 2), 'float64'), ('M', (40, 2, 2), 'float64'), ('T', (40, 4, 4), 'float64'), "
            "('kinetic_energy', (40,), 'float64'), ('potential_energy', (40,), 'float64')]\n"
            "motion [('t', (21,), 'float64'), ('q', (21, 2), 'float64'), ('qd', (21, 2), 'float64'), "
            "('qdd', (21, 2), 'float64')]\n"
            "tau [('t', (21,), 'float64'), ('tau', (21, 2), 'float64')]\n");
  EXPECT_EQ(python("z = np.load('fall.npz'); print(z['t'].shape, z['q'].shape, z['tau'].shape, z['kinetic'].shape)"),
            "(11,) (11, 2) (11, 2) (11,)\n");
  // The numbers are those of the other formats, and t comes along.
  make("in.csv", "note,t,q1,q2\nx,0.5,1,2\ny,0.75,3,4\n");
  ASSERT_EQ(run("inverse planar2r --states in.csv -o a.npz").status, 0);
  ASSERT_EQ(run("inverse planar2r --states in.csv -o b.npy").status, 0);
  EXPECT_EQ(python("z = np.load('a.npz'); print(z.files, z['t'].tolist(), (z['tau'] == np.load('b.npy')).all())"),
            "['t', 'tau'] [0.5, 0.75] True\n");
  make("words.csv", "t,q1,q2\nnoon,1,2\n");
  EXPECT_EQ(refused("inverse planar2r --states words.csv -o c.npz"),
            "c.npz: column t: 'noon' is not a number; a .npz table holds only numbers\n");
  EXPECT_FALSE(fs::exists(folder_ / "c.npz"));
  EXPECT_EQ(run("inverse planar2r --trajectory motion.npz").out,
            run("inverse planar2r --to 1,1 --time 2 --samples 21").out);
}

TEST_F(NumpyCli, DamagedArchivesAreRefusedInOneLine) {
  python(
      std::string(table) +
      "np.savez('good.npz', q=a[:, :2], qd=a[:, 2:4])\n"
      "np.savez_compressed('packed.npz', q=rng.normal(size=(400, 2)))\n"
      "good = open('good.npz', 'rb').read()\n"
      "packed = open('packed.npz', 'rb').read()\n"
      "open('cut.npz', 'wb').write(good[:200])\n"
      "flipped = bytearray(good); flipped[300] ^= 1; open('flipped.npz', 'wb').write(flipped)\n"
      "flipped = bytearray(packed); flipped[2000] ^= 0xFF; open('garbled.npz', 'wb').write(flipped)\n"
      "np.savez('rows.npz', q=a[:, :2], qd=a[:7, 2:4])\n"
      "np.savez('wide.npz', q=a[:, :3])\n"
      "np.savez('none.npz', Q=a[:, :2], t=a[:, 0])\n"
      "np.savez('nan.npz', q=np.array([[1.0, 2.0], [np.nan, 1.0]]))\n"
      "open('text.npz', 'w').write('hello')\n"
      "with zipfile.ZipFile('bz.npz', 'w', zipfile.ZIP_BZIP2) as z: z.write('a.npy', 'q.npy')\n"
      "with zipfile.ZipFile('empty.npz', 'w') as z: pass\n"
      "with zipfile.ZipFile('zeros.npz', 'w') as z: z.writestr('q.npy', b'')\n"
      // A header that promises more than the member holds, and one that promises nothing a file could hold.
      "def lie(name, shape):\n"
      "    b = io.BytesIO(); np.lib.format.write_array_header_1_0(b, {'descr': '<f8', 'fortran_order': True, 'shape': "
      "shape})\n"
      "    with zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('q.npy', b.getvalue() + bytes(64))\n"
      "lie('promise.npz', (10 ** 15, 2))\n"
      "lie('huge.npz', (2 ** 63 - 1, 2 ** 40, 2))\n");
  const auto says = [&](const std::string& file, const std::string& what) {
    EXPECT_EQ(refused("inverse planar2r --states " + file), file + ": " + what + "\n");
  };
  says("cut.npz", "the archive is damaged: it has no directory; is it cut off?");
  says("flipped.npz", "array q: is damaged: its checksum differs");
  says("rows.npz", "arrays q and qd have different numbers of rows");
  says("wide.npz", "array q: its shape is (40, 3); a robot of 2 joints takes (rows, 2) or (tables, rows, 2)");
  says("none.npz", "has no array q; it has Q, t");
  says("nan.npz", "array q: row 2: column 1 is not finite");
  says("text.npz", "is not a .npz file (it does not start as one)");
  says("bz.npz", "array q: is packed by method 12; save it with numpy.savez or savez_compressed");
  says("empty.npz", "is an archive without arrays; a table is CSV, .npy or .npz");
  says("zeros.npz", "array q: .npy version 0 is not known");
  says("promise.npz", "array q: the file is cut off: its header announces 1000000000000000 rows, and it holds 4");
  says("huge.npz", "array q: the array's shape is (9223372036854775807, 1099511627776, 2), more than any file holds");
  EXPECT_NE(refused("inverse planar2r --states garbled.npz").find("array q: is damaged"), std::string::npos);
}

// 1 GiB of zeros in 1 MiB: rows stream through, and an order that would need all of it in memory is refused.
#ifdef CATENA_SANITIZED
constexpr const char* with_little = "";  // a sanitizer reserves terabytes of addresses
#else
constexpr const char* with_little = "ulimit -v 400000; ";
#endif

TEST_F(NumpyCli, ABombTakesNoMemory) {
  python(
      "def bomb(name, order, rows):\n"
      "    b = io.BytesIO(); np.lib.format.write_array_header_1_0(b, {'descr': '<f8', 'fortran_order': order, 'shape': "
      "(rows, 2)})\n"
      "    with zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as z:\n"
      "        with z.open('q.npy', 'w', force_zip64=True) as f:\n"
      "            f.write(b.getvalue())\n"
      "            for k in range(rows // 65536): f.write(bytes(65536 * 16))\n"
      "bomb('f.npz', True, 512 * 65536)\n"
      "bomb('c.npz', False, 16 * 65536)\n");
  const Result turned = shell(std::string(with_little) + "\"$CATENA\" inverse planar2r --states f.npz -o out.npy");
  EXPECT_EQ(turned.status, 2);
  EXPECT_EQ(turned.err,
            "f.npz: array q: an array of (33554432, 2) in Fortran order is too large to be transposed; save "
            "numpy.ascontiguousarray(…)\n");
  const Result streamed = shell(std::string(with_little) + "\"$CATENA\" gravity planar2r --states c.npz -o out.npz");
  EXPECT_EQ(streamed.status, 0) << streamed.err;
  EXPECT_EQ(python("print(np.load('out.npz')['g'].shape)"), "(1048576, 2)\n");
}

TEST_F(NumpyCli, CutOffAtEveryByteIsOneLine) {
  python(
      "np.savez('z.npz', q=np.ones((3, 2)))\nnp.save('z.npy', np.asfortranarray(np.ones((3, 2))))\n"
      "for name in ['z.npz', 'z.npy']:\n"
      "    data = open(name, 'rb').read()\n"
      "    for n in range(1, len(data), 3): open('%04d%s' % (n, name), 'wb').write(data[:n])\n");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('0')) continue;
    ++files;
    const std::string said = refused("inverse planar2r --states " + name);
    EXPECT_TRUE(said.starts_with(name + ": ")) << said;
    if (name.ends_with("npy") && files % 8 == 0) {
      EXPECT_TRUE(refused("inverse planar2r --states - <" + name).starts_with("standard input: "));
    }
  }
  EXPECT_GT(files, 100);
}

// How files come into their place.
TEST_F(NumpyCli, AReplacedFileKeepsItsMode) {
  make("in.csv", "q1,q2\n0,0\n");
  const std::vector<std::string> writers{
      "inverse planar2r --states in.csv -o FILE.csv", "inverse planar2r --states in.csv -o FILE.npy",
      "inverse planar2r --states in.csv -o FILE.npz", "trajectory planar2r --to 1,1 --time 1 -o FILE.csv",
      "convert planar2r --force -o FILE.toml",        "equations planar2r --force -o FILE.tex"};
  for (const std::string& line : writers) {
    const std::string ending = line.substr(line.find("FILE") + 4);
    const std::string command = line.substr(0, line.find("FILE"));
    for (const char* mode : {"600", "640", "755"}) {
      const std::string file = mode + ending;
      shell("echo old >" + file + "; chmod " + mode + " " + file);
      EXPECT_EQ(run(command + file).status, 0) << line;
      EXPECT_EQ(shell("stat -c %a " + file).out, std::string(mode) + "\n") << line;
      EXPECT_NE(contents(folder_ / file), "old\n");
    }
    EXPECT_EQ(shell("umask 027; \"$CATENA\" " + command + "new" + ending).status, 0);
    EXPECT_EQ(shell("stat -c %a new" + ending).out, "640\n") << line;
    // Through links: to a file that is there, and to one that is not there yet.
    shell("mkdir -p there; echo old >there/old" + ending + "; chmod 604 there/old" + ending + "; ln -sf there/old" +
          ending + " link" + ending + "; ln -sf there/none" + ending + " middle" + ending + "; ln -sf \"$PWD/middle" +
          ending + "\" dangling" + ending);
    for (const char* link : {"link", "dangling"}) {
      EXPECT_EQ(run(command + link + ending).status, 0) << line;
      EXPECT_TRUE(fs::is_symlink(folder_ / (link + ending))) << line;
    }
    EXPECT_EQ(shell("stat -c %a there/old" + ending).out, "604\n");
    EXPECT_GT(fs::file_size(folder_ / ("there/none" + ending)), 4U) << line;
    shell("ln -sf round" + ending + " round" + ending + "; ln -sf gone/x" + ending + " nowhere" + ending);
    for (const char* link : {"round", "nowhere"}) refused(command + link + ending, 1);
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
    EXPECT_FALSE(entry.path().string().ends_with(".tmp")) << entry.path();
}

TEST_F(NumpyCli, FilesInMemoryAreFiles) {
  make("in.csv", "q1,q2\n0,0\n");
  const Result result = shell(
      "test -d /dev/shm || exit 0; out=/dev/shm/catena_test_$$.csv; \"$CATENA\" inverse planar2r --states in.csv -o "
      "$out && rm $out");
  EXPECT_EQ(result.status, 0) << result.err;
}

}  // namespace
}  // namespace catena::numpy_cli_test
