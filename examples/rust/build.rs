// Where libcatena.so is: for the linker, and for the program when it starts.
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let asked = Command::new("pkg-config").args(["--variable=libdir", "catena"]).output();
    let output = asked.expect("pkg-config is not there");
    assert!(output.status.success(), "pkg-config does not know catena: set PKG_CONFIG_PATH");
    let folder = String::from_utf8(output.stdout).unwrap();
    println!("cargo:rustc-link-search=native={}", folder.trim());
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.trim());
}
