//! `cargo xtask package`: what an author embeds, in `dist/package`, as it would be published to npm. Its sources are in
//! `web/kit`; the WASM and its script are those of the page.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::project::Project;
use crate::toolbox::Toolbox;
use crate::{page, process, sizes};

/// What is published as it is.
const AS_IT_IS: &[&str] = &[
    "README.md",
    "api.d.ts",
    "api.js",
    "custom-elements.json",
    "define.d.ts",
    "index.d.ts",
    "package.json",
    "react.d.ts",
    "react.js",
];

/// What is published shortened.
const MODULES: &[&str] = &["define.js", "index.js"];

/// How the classes get the WASM.
const FETCHED: &str = "fetch(new URL(\"enroll-once-web_bg.wasm\", import.meta.url))";

/// How they get it where nothing can be fetched. Compressed, and then in base64, it is shorter than it was.
const INLINED: &str =
    "new Response(new Blob([compressed]).stream().pipeThrough(new DecompressionStream(\"gzip\")))";

/// How they get the lab, which is not in the one file: it would make it twice as large for stories that few tell.
const LAB: &str = "Promise.all([import(\"./enroll-once-lab.js\"), fetch(new URL(\"enroll-once-lab_bg.wasm\", import.meta.url))])";
const NO_LAB: &str = "Promise.reject(Error(\"the lab is not in this file\"))";

/// `cargo xtask package`: sets up, builds the page, then [`write`].
pub fn package(toolbox: &mut Toolbox) -> Result<()> {
    page::build(toolbox)?;
    write(toolbox)
}

/// Writes the package beside the page, which must be there. [`page::DIST`] must be ready.
pub fn write(toolbox: &Toolbox) -> Result<()> {
    let kit = toolbox.project.root.join("web/kit");
    let folder = folder(&toolbox.project);
    start_anew(&folder)?;
    for name in AS_IT_IS {
        copy(&kit, &folder, name)?;
    }
    for name in [sizes::GLUE, sizes::WASM, sizes::LAB_GLUE, sizes::LAB_WASM] {
        copy(&toolbox.project.dist(), &folder, name)?;
    }
    let modules = MODULES.iter().map(|name| kit.join(name));
    process::run(page::minifier(toolbox)?.args(modules).arg("--outdir=dist/package"))?;
    standalone(toolbox, &folder)?;
    one_file(&toolbox.project.root.join("web"), &folder)?;
    println!("the package is in {}", toolbox.project.shown(&folder));
    Ok(())
}

/// Where it is written.
fn folder(project: &Project) -> PathBuf {
    project.dist().join("package")
}

/// One classic script with everything in it.
fn standalone(toolbox: &Toolbox, folder: &Path) -> Result<()> {
    let kit = toolbox.project.root.join("web/kit");
    let work = toolbox.project.root.join("target/standalone");
    start_anew(&work)?;
    copy(&kit, &work, "define.js")?;
    copy(folder, &work, sizes::GLUE)?;
    fs::write(work.join("wasm.bin"), gzip(&fs::read(folder.join(sizes::WASM))?)?)?;
    fs::write(work.join("index.js"), inlined(&fs::read_to_string(kit.join("index.js"))?)?)?;
    let mut esbuild = page::minifier(toolbox)?;
    // The last --format counts.
    esbuild.arg(work.join("define.js")).args(["--bundle", "--format=iife", "--loader:.bin=binary"]);
    process::run(esbuild.arg("--outfile=dist/package/standalone.js"))
}

/// The classes with the WASM inside.
fn inlined(classes: &str) -> Result<String> {
    let mut text = String::from("import compressed from \"./wasm.bin\";\n") + classes;
    for (fetched, here) in [(FETCHED, INLINED), (LAB, NO_LAB)] {
        ensure!(text.matches(fetched).count() == 1, "index.js does not say `{fetched}` once");
        text = text.replace(fetched, here);
    }
    Ok(text)
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut compressed = Vec::new();
    flate2::read::GzEncoder::new(bytes, flate2::Compression::best()).read_to_end(&mut compressed)?;
    Ok(compressed)
}

/// Both widgets in a page that is one file.
fn one_file(web: &Path, folder: &Path) -> Result<()> {
    let read = |path: PathBuf| fs::read_to_string(&path).with_context(|| format!("no {}", path.display()));
    let mut html = read(web.join("kit/enroll-once.html"))?;
    for (place, path) in [
        ("<!-- loop -->", web.join("fallback/loop.html")),
        ("<!-- proof -->", web.join("fallback/proof.html")),
        ("<!-- script -->", folder.join("standalone.js")),
    ] {
        ensure!(html.matches(place).count() == 1, "enroll-once.html has no {place}");
        html = html.replace(place, &read(path)?);
    }
    fs::write(folder.join("enroll-once.html"), html)?;
    Ok(())
}

fn start_anew(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot delete {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

fn copy(from: &Path, to: &Path, name: &str) -> Result<()> {
    let path = from.join(name);
    fs::copy(&path, to.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_the_kit(name: &str) -> String {
        fs::read_to_string(Project::find().unwrap().root.join("web/kit").join(name)).unwrap()
    }

    #[test]
    fn there_is_one_version() {
        let version = env!("CARGO_PKG_VERSION");
        assert!(of_the_kit("package.json").contains(&format!("\"version\": \"{version}\"")));
        assert!(of_the_kit("index.js").contains(&format!("const VERSION = \"{version}\";")));
    }

    #[test]
    fn the_classes_can_have_the_wasm_inside() {
        let text = inlined(&of_the_kit("index.js")).unwrap();
        assert!(text.starts_with("import compressed") && text.contains(INLINED) && !text.contains("fetch("));
        assert!(inlined("fetch(other)").is_err());
    }

    #[test]
    fn everything_that_is_published_is_of_the_kit() {
        let kit = Project::find().unwrap().root.join("web/kit");
        let mut names: Vec<_> = fs::read_dir(kit).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        let mut known: Vec<_> =
            AS_IT_IS.iter().chain(MODULES).chain(&["enroll-once.html", "instance.js"]).collect();
        known.sort();
        assert!(names.iter().eq(known), "{names:?}");
    }
}
