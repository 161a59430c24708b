//! Takes the digest of the sources that the differential measures, as they are when it is built.

#[path = "src/differential/measured.rs"]
mod measured;

fn main() -> std::io::Result<()> {
    let root = measured::root(env!("CARGO_MANIFEST_DIR"));
    for name in measured::MEASURED {
        println!("cargo::rerun-if-changed={}", root.join(name).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=MEASURED_SHA256={}", measured::digest(&root)?);
    Ok(())
}
