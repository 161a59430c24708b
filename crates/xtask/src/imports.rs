//! Gives what the WASM and its script call each other short names, in both files.
//!
//! wasm-bindgen's names hold sixteen hexadecimal digits, and no compression helps against chance: with some ninety
//! imports these are 2 KB. The names mean nothing outside the two files.
//!
//! Short names are alike in every build, so a WASM from another build, out of somebody's cache, would be linked and do
//! anything. So what the imports are said to come from is the digest of the WASM: files of two builds do not link.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// The numbers of the sections of imports and exports, and of a function among the entries of both.
const IMPORTS: u8 = 2;
const EXPORTS: u8 = 7;
const FUNCTION: u8 = 0;

/// The magic number and the version, before the first section.
const HEADER: usize = 8;

/// Rewrites both files.
pub fn shorten(wasm: &Path, script: &Path) -> Result<()> {
    let bytes = fs::read(wasm).with_context(|| format!("cannot read {}", wasm.display()))?;
    let text = fs::read_to_string(script).with_context(|| format!("cannot read {}", script.display()))?;
    let digest = digest(&bytes);
    let from = said_to_come_from(wasm)?;
    let (bytes, names) =
        rename(&bytes, &text, [&from, &digest]).with_context(|| format!("in {}", wasm.display()))?;
    let text = replace(&text, &names, &from, &digest).with_context(|| format!("in {}", script.display()))?;
    fs::write(wasm, bytes)?;
    fs::write(script, text)?;
    Ok(())
}

/// What wasm-bindgen says that the imports of this WASM come from.
fn said_to_come_from(wasm: &Path) -> Result<String> {
    let stem = wasm.file_stem().and_then(|stem| stem.to_str());
    Ok(format!("./{}.js", stem.context("the WASM has no name")?))
}

/// The module with short names for its imports and for what it exports to its script; and each old name's new one.
fn rename(
    module: &[u8],
    text: &str,
    [script, digest]: [&str; 2],
) -> Result<(Vec<u8>, HashMap<String, String>)> {
    let mut input = Reader(module);
    let mut output = input.take(HEADER)?.to_vec();
    let mut names = HashMap::new();
    while !input.0.is_empty() {
        let section = input.byte()?;
        let content = input.sized()?;
        output.push(section);
        match section {
            IMPORTS => put_sized(&mut output, &renamed_imports(content, [script, digest], &mut names)?),
            EXPORTS => put_sized(&mut output, &renamed_exports(content, text, &mut names)?),
            _ => put_sized(&mut output, content),
        }
    }
    Ok((output, names))
}

/// They come from `script`, and are then said to come from `digest`.
fn renamed_imports(
    content: &[u8],
    [script, digest]: [&str; 2],
    names: &mut HashMap<String, String>,
) -> Result<Vec<u8>> {
    let mut input = Reader(content);
    let mut output = Vec::new();
    let count = input.number()?;
    put_number(&mut output, count);
    for index in 0..count {
        ensure!(input.sized()? == script.as_bytes(), "an import from another file: teach this one about it");
        put_sized(&mut output, digest.as_bytes());
        let name = String::from_utf8(input.sized()?.to_vec())?;
        let short = short_name(index);
        put_sized(&mut output, short.as_bytes());
        names.insert(name, short);
        let kind = input.byte()?;
        ensure!(kind == FUNCTION, "an import that is no function, kind {kind}: teach this file about it");
        output.push(kind);
        put_number(&mut output, input.number()?);
    }
    Ok(output)
}

/// Only what wasm-bindgen has named for itself: the other names are those that the script's own readers use.
fn renamed_exports(content: &[u8], text: &str, names: &mut HashMap<String, String>) -> Result<Vec<u8>> {
    let mut input = Reader(content);
    let mut output = Vec::new();
    let count = input.number()?;
    put_number(&mut output, count);
    for _ in 0..count {
        let mut name = String::from_utf8(input.sized()?.to_vec())?;
        let called = text.contains(&name); // else it is there for tools
        if called && (name.starts_with("__") || name.starts_with("wasm_bindgen_")) {
            let short = short_name(names.len() as u32);
            names.insert(std::mem::replace(&mut name, short.clone()), short);
        }
        put_sized(&mut output, name.as_bytes());
        output.push(input.byte()?); // its kind
        put_number(&mut output, input.number()?);
    }
    Ok(output)
}

/// Eight digits that differ when the bytes do: FNV-1a.
fn digest(bytes: &[u8]) -> String {
    let sum =
        bytes.iter().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    format!("{sum:08x}")
}

/// `a`, `b`, .. `z`, `aa`, ..
fn short_name(index: u32) -> String {
    let last = char::from(b'a' + (index % 26) as u8);
    if index < 26 { last.into() } else { format!("{}{last}", short_name(index / 26 - 1)) }
}

/// The script with the new names. Each must be there, or it is not the script of this module.
fn replace(script: &str, names: &HashMap<String, String>, name: &str, digest: &str) -> Result<String> {
    ensure!(script.matches(name).count() == 1, "{name} is not named once");
    let script = script.replace(name, digest);
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut text = String::with_capacity(script.len());
    let mut found = HashSet::new();
    for word in script.split_inclusive(|c| !is_of_a_name(c)) {
        let name = word.trim_end_matches(|c| !is_of_a_name(c));
        match names.get(name) {
            Some(short) => {
                found.insert(name);
                text.push_str(short);
                text.push_str(&word[name.len()..]);
            }
            None => text.push_str(word),
        }
    }
    match names.keys().find(|name| !found.contains(name.as_str())) {
        Some(name) => bail!("the script does not know the WASM's `{name}`"),
        None => Ok(text),
    }
}

/// Reads the pieces of a WASM file.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).context("the WASM ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// A number in LEB128: seven bits a byte, the lowest first.
    fn number(&mut self) -> Result<u32> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        bail!("a number in the WASM has too many bytes")
    }

    /// Bytes after their number.
    fn sized(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        self.take(length as usize)
    }
}

fn put_number(output: &mut Vec<u8>, mut number: u32) {
    while number > 0x7f {
        output.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    output.push(number as u8);
}

fn put_sized(output: &mut Vec<u8>, bytes: &[u8]) {
    put_number(output, bytes.len() as u32);
    output.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "./x_bg.js";

    /// A header, a section of two imports, and one that is of no interest.
    fn module(from: &str, first: &str, second: &str) -> Vec<u8> {
        let mut imports = vec![2];
        for name in [first, second] {
            put_sized(&mut imports, from.as_bytes());
            put_sized(&mut imports, name.as_bytes());
            imports.extend([FUNCTION, 0x83, 0x01]);
        }
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.push(IMPORTS);
        put_sized(&mut module, &imports);
        module.extend([10, 1, 42]);
        module
    }

    /// Besides, it exports two functions.
    fn exporting(from: &str, first: &str, second: &str) -> Vec<u8> {
        let mut exports = vec![2];
        for name in [first, second] {
            put_sized(&mut exports, name.as_bytes());
            exports.extend([FUNCTION, 7]);
        }
        let mut module = module(from, "a", "b");
        module.push(EXPORTS);
        put_sized(&mut module, &exports);
        module
    }

    #[test]
    fn exports_that_the_script_calls_get_short_names_unless_others_use_them() {
        let script = format!("a b wasm.__wbindgen_malloc(wasm.__wbindgen_malloc) function mount {SCRIPT}");
        for (exported, short) in [("__wbindgen_malloc", "c"), ("__for_tools", "__for_tools")] {
            let (bytes, names) =
                rename(&exporting(SCRIPT, exported, "mount"), &script, [SCRIPT, "0f"]).unwrap();
            assert_eq!(bytes, exporting("0f", short, "mount"));
            let expected = script.replace(exported, short).replace(SCRIPT, "0f");
            assert_eq!(replace(&script, &names, SCRIPT, "0f").unwrap(), expected);
        }
    }

    #[test]
    fn both_files_get_the_same_short_names() {
        let long = "n".repeat(200);
        let (bytes, names) = rename(&module(SCRIPT, &long, "call_0123"), "", [SCRIPT, "0f"]).unwrap();
        assert_eq!(bytes, module("0f", "a", "b"));
        let script = format!("x={{{long}:function(){{}},\n call_0123(){{call_01234}}}}, {{'{SCRIPT}': x}}");
        let expected = "x={a:function(){},\n b(){call_01234}}, {'0f': x}";
        assert_eq!(replace(&script, &names, SCRIPT, "0f").unwrap(), expected);
    }

    #[test]
    fn the_script_of_another_module_is_refused() {
        let (_, names) = rename(&module(SCRIPT, "one", "two"), "", [SCRIPT, "0f"]).unwrap();
        assert!(replace(&format!("one {SCRIPT}"), &names, SCRIPT, "0f").is_err());
        assert!(replace("one two", &names, SCRIPT, "0f").is_err());
        replace(&format!("one two {SCRIPT}"), &names, SCRIPT, "0f").unwrap();
    }

    #[test]
    fn a_broken_module_is_refused() {
        let whole = module(SCRIPT, "one", "two");
        assert!(rename(&whole[..whole.len() - 1], "", [SCRIPT, "0f"]).is_err());
        assert!(rename(b"\0asm", "", [SCRIPT, "0f"]).is_err());
        assert!(rename(&module("./other.js", "one", "two"), "", [SCRIPT, "0f"]).is_err());
    }

    #[test]
    fn other_bytes_have_another_digest() {
        assert_eq!(digest(b""), "811c9dc5");
        assert_eq!(digest(b"foobar"), "bf9cf968"); // as published with the algorithm
    }

    #[test]
    fn there_is_a_name_for_every_import() {
        assert_eq!([0, 25, 26, 51, 52, 701, 702].map(short_name), ["a", "z", "aa", "az", "ba", "zz", "aaa"]);
    }
}
