//! What the built page weighs, and the budgets for the parts that embedders pay for.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use brotli::enc::BrotliEncoderParams;

use crate::project::Project;

/// Everything that an embedder loads, in bytes of brotli. A bare Yew app has half of that already.
const WIDGET_BUDGET: usize = 72 * 1024;

/// The module that defines the elements, and is loaded before anybody wants a widget, in bytes of gzip.
const SHIM_BUDGET: usize = 4 * 1024;

/// What an element loads instead when its story needs the lab, with the shim, in bytes of brotli.
const LAB_BUDGET: usize = 110 * 1024;

/// The widgets, in `dist`.
pub const WASM: &str = "enroll-once-web_bg.wasm";

/// The script that wasm-bindgen writes for them.
pub const GLUE: &str = "enroll-once-web.js";

/// The model for scripts, a WASM of its own: nothing that only wants a widget loads it.
pub const LAB_WASM: &str = "enroll-once-lab_bg.wasm";

/// The script that wasm-bindgen writes for it.
pub const LAB_GLUE: &str = "enroll-once-lab.js";

/// The module that defines the elements.
pub const SHIM: &str = "define.js";

/// Who pays for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Loaded by a widget, wherever it is embedded.
    Widget,
    /// Loaded by who wants runs and the crash matrix as data.
    Lab,
    /// The workshop page's own.
    Page,
}

#[derive(Clone, Debug)]
struct File {
    /// Relative to `dist`, with `/`.
    name: String,
    part: Part,
    raw: usize,
    gzip: usize,
    brotli: usize,
}

/// Prints the sizes of all files in `dist`; fails above the budget, or when the widget's files are not there.
pub fn report(project: &Project) -> Result<()> {
    let dist = project.dist();
    let mut files = Vec::new();
    for path in files_below(&dist)? {
        files.push(File::measure(&dist, &path)?);
    }
    files.sort_by_key(|file| (file.part, std::cmp::Reverse(file.raw)));
    println!("\n{}", table(&files));
    println!("{}", verdict(&files)?);
    println!("the page is in {}", project.shown(&dist));
    Ok(())
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

impl File {
    fn measure(dist: &Path, path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let relative = path.strip_prefix(dist).unwrap_or(path);
        let name = relative.to_string_lossy().replace('\\', "/");
        Ok(Self { part: part(&name), name, raw: bytes.len(), gzip: gzip(&bytes)?, brotli: brotli(&bytes)? })
    }
}

/// wasm-bindgen puts JavaScript that Rust code brings along into `snippets`; the glue imports it.
fn part(name: &str) -> Part {
    let of_the_widget = [WASM, GLUE, SHIM].contains(&name)
        || name.starts_with("snippets/")
        || (name.starts_with("enroll-") && name.ends_with(".css"));
    match name {
        _ if of_the_widget => Part::Widget,
        LAB_WASM | LAB_GLUE => Part::Lab,
        _ => Part::Page,
    }
}

fn gzip(bytes: &[u8]) -> Result<usize> {
    let mut compressed = Vec::new();
    flate2::read::GzEncoder::new(bytes, flate2::Compression::best()).read_to_end(&mut compressed)?;
    Ok(compressed.len())
}

fn brotli(mut bytes: &[u8]) -> Result<usize> {
    let best = BrotliEncoderParams { quality: 11, lgwin: 22, ..BrotliEncoderParams::default() };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut bytes, &mut compressed, &best)?;
    Ok(compressed.len())
}

fn table(files: &[File]) -> String {
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let mut text =
        format!("{:width$}  {:>9}  {:>9}  {:>9}  part of\n", "bytes", "raw", "gzip -9", "brotli 11");
    for file in files {
        let [raw, gzip, brotli] = [file.raw, file.gzip, file.brotli].map(grouped);
        let part = match file.part {
            Part::Widget => "widget",
            Part::Lab => "lab",
            Part::Page => "page",
        };
        text += &format!("{:width$}  {raw:>9}  {gzip:>9}  {brotli:>9}  {part}\n", file.name);
    }
    text
}

/// One line that says how the parts stand, or an error that says what is too big.
fn verdict(files: &[File]) -> Result<String> {
    for name in [WASM, GLUE, SHIM, LAB_WASM, LAB_GLUE] {
        ensure!(
            files.iter().any(|file| file.name == name),
            "dist has no {name}, so there is nothing to weigh; does index.html still bring it?"
        );
    }
    let weight =
        |part| -> usize { files.iter().filter(|file| file.part == part).map(|file| file.brotli).sum() };
    let (total, lab) = (weight(Part::Widget), weight(Part::Lab));
    let shim: usize = files.iter().filter(|file| file.name == SHIM).map(|file| file.gzip).sum();
    let line = format!(
        "widget: {} of {} bytes (brotli), {} %; {SHIM}: {} of {} bytes (gzip); lab: {} of {} bytes (brotli)",
        grouped(total),
        grouped(WIDGET_BUDGET),
        (total * 100).div_ceil(WIDGET_BUDGET),
        grouped(shim),
        grouped(SHIM_BUDGET),
        grouped(lab),
        grouped(LAB_BUDGET),
    );
    if total > WIDGET_BUDGET {
        bail!("the widget is over its budget by {} bytes: {line}", grouped(total - WIDGET_BUDGET));
    }
    if shim > SHIM_BUDGET {
        bail!("{SHIM} is over its budget by {} bytes: {line}", grouped(shim - SHIM_BUDGET));
    }
    if lab > LAB_BUDGET {
        bail!("the lab is over its budget by {} bytes: {line}", grouped(lab - LAB_BUDGET));
    }
    Ok(line)
}

/// A number with a comma between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, gzip: usize, brotli: usize) -> File {
        let (name, raw) = (name.to_owned(), 1_000_000);
        File { part: part(&name), name, raw, gzip, brotli }
    }

    /// What the verdict says of these files beside a lab that is just within its budget.
    #[track_caller]
    fn check(files: &[File], expected: &str) {
        let lab = [file(LAB_WASM, 0, LAB_BUDGET - 9), file(LAB_GLUE, 0, 9)];
        check_all(&[files, &lab].concat(), expected);
    }

    #[track_caller]
    fn check_all(files: &[File], expected: &str) {
        let said = match verdict(files) {
            Ok(line) => line,
            Err(error) => format!("error: {error}"),
        };
        assert!(said.starts_with(expected), "{said}");
    }

    #[test]
    fn exactly_the_budget_is_within_it() {
        let files = [
            file(WASM, 0, WIDGET_BUDGET - 300),
            file(GLUE, 0, 200),
            file(SHIM, SHIM_BUDGET, 100),
            file("page.css", 0, 5000),
        ];
        check(&files, "widget: 73,728 of 73,728 bytes (brotli), 100 %; define.js: 4,096 of 4,096");
    }

    #[test]
    fn one_byte_more_is_an_error_wherever_it_is() {
        for name in [WASM, GLUE, SHIM, "snippets/yew/inline0.js", "enroll-widget.css"] {
            let mut files = vec![file(WASM, 0, WIDGET_BUDGET), file(GLUE, 0, 0), file(SHIM, 0, 0)];
            files.push(file(name, 0, 1));
            check(&files, "error: the widget is over its budget by 1 bytes");
        }
    }

    #[test]
    fn a_heavy_shim_is_an_error() {
        let files = [file(WASM, 0, 1), file(GLUE, 0, 1), file(SHIM, SHIM_BUDGET + 1, 1)];
        check(&files, "error: define.js is over its budget by 1 bytes");
    }

    #[test]
    fn a_heavy_lab_is_an_error_of_its_own() {
        let widget = [file(WASM, 0, 1), file(GLUE, 0, 1), file(SHIM, 0, 1)];
        let lab = [file(LAB_WASM, 0, LAB_BUDGET), file(LAB_GLUE, 0, 1)];
        check_all(&[&widget[..], &lab].concat(), "error: the lab is over its budget by 1 bytes");
        check_all(&[&widget[..], &lab[..1]].concat(), "error: dist has no enroll-once-lab.js");
    }

    #[test]
    fn a_widget_file_that_is_not_there_is_an_error() {
        check(&[file(WASM, 0, 1), file(GLUE, 0, 1)], "error: dist has no define.js");
    }

    #[test]
    fn the_page_is_not_the_widget() {
        for name in ["index.html", "page-6400243ab47d74e.css", "other.js"] {
            assert_eq!(part(name), Part::Page, "{name}");
        }
    }

    #[test]
    fn compressed_sizes_are_measured() {
        let bytes = b"enroll once ".repeat(1000);
        assert!(gzip(&bytes).unwrap() < 100);
        assert!(brotli(&bytes).unwrap() < 50);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(100), "100");
        assert_eq!(grouped(73_728), "73,728");
        assert_eq!(grouped(1_000_000), "1,000,000");
    }
}
