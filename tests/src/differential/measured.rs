//! The sources that the differential measures, and their digest. Also part of the build script, so that the digest is
//! that of the sources a program was built from, and not of what lies there when it runs.

use sha2::{Digest, Sha256};
use std::{
    fmt::Write as _,
    fs,
    io::Result,
    path::{Path, PathBuf},
};

/// Below the core's `src`: the keyspace, the protocol, and what they stand on.
pub const MEASURED: [&str; 6] = ["keyspace", "keyspace.rs", "protocol", "protocol.rs", "small.rs", "time.rs"];

/// The core's `src`, from the folder of this package.
pub fn root(package: &str) -> PathBuf {
    Path::new(package).join("../crates/core/src")
}

/// SHA-256 over names and contents, by name.
///
/// # Errors
/// The sources are not where they should be.
pub fn digest(root: &Path) -> Result<String> {
    let mut digest = Sha256::new();
    for (name, path) in files(root)? {
        let content = fs::read(path)?;
        digest.update(format!("{name}\n{}\n", content.len()));
        digest.update(&content);
    }
    let bytes = digest.finalize();
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into memory cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    }))
}

/// Every measured file, by a name that is the same on every machine.
///
/// # Errors
/// As above.
pub fn files(root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for name in MEASURED {
        collect(&root.join(name), name, &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn collect(path: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    if !path.is_dir() {
        files.push((name.to_owned(), path.to_owned()));
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let inner = entry.file_name();
        collect(&entry.path(), &format!("{name}/{}", inner.to_string_lossy()), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_the_measured_sources_stand_on_is_measured_too() -> Result<()> {
        for (name, path) in files(&root(env!("CARGO_MANIFEST_DIR")))? {
            for module in modules_named_in(&fs::read_to_string(path)?) {
                let known = MEASURED.contains(&format!("{module}.rs").as_str());
                assert!(known, "{name} uses crate::{module}, which is not measured: add it to MEASURED");
            }
        }
        Ok(())
    }

    /// `crate::{small::{self, SmallSet}, time::Millis}` and `crate::time::Millis` alike; types are no modules.
    fn modules_named_in(text: &str) -> Vec<String> {
        let mut modules = Vec::new();
        for after in text.split("crate::").skip(1) {
            let Some(list) = after.strip_prefix('{') else {
                modules.push(first_name(after));
                continue;
            };
            let (mut depth, mut begins) = (0, true);
            for (at, letter) in list.char_indices() {
                match letter {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => begins = true,
                    _ if begins && letter.is_alphabetic() => {
                        modules.push(first_name(list.get(at..).unwrap_or_default()));
                        begins = false;
                    }
                    _ => {}
                }
            }
        }
        modules.retain(|name| name.starts_with(char::is_lowercase));
        modules
    }

    fn first_name(path: &str) -> String {
        path.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    }

    #[test]
    fn the_digest_in_a_program_is_that_of_the_sources_it_was_built_from() -> Result<()> {
        assert_eq!(env!("MEASURED_SHA256"), digest(&root(env!("CARGO_MANIFEST_DIR")))?);
        Ok(())
    }

    #[test]
    fn modules_are_found_in_both_forms() {
        let text =
            "use crate::{small::{self, SmallSet, decimal}, time::Millis};\nlet a = crate::keyspace::Key;";
        assert_eq!(modules_named_in(text), ["small", "time", "keyspace"]);
    }
}
