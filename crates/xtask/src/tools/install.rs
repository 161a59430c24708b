//! All or nothing: an installation that was interrupted, or that failed, never counts as one.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use anyhow::{Context, Result};

/// Has `fill` fill a folder, unless it is there already.
///
/// `fill` works in a folder beside it, which gets the final name only when it is complete. A lock keeps two xtasks from
/// doing the same work; the system releases it however a process ends.
pub fn once(folder: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().context("a tool's folder has a parent")?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;

    let _lock = lock(&parent.join(format!("{name}.lock")), &name)?;
    if folder.is_dir() {
        return Ok(()); // another xtask has done it while we waited
    }
    remove_leftovers(parent, &format!("{name}.partial-"))?;
    let partial = parent.join(format!("{name}.partial-{}", std::process::id()));
    fs::create_dir_all(&partial)?;
    if let Err(error) = fill(&partial) {
        // Only tidiness: what stays is removed by the next attempt.
        let _ = fs::remove_dir_all(&partial);
        return Err(error);
    }
    fs::rename(&partial, folder).with_context(|| format!("cannot create {}", folder.display()))
}

fn lock(path: &Path, name: &str) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        println!("waiting for another xtask, which is installing {name}");
        file.lock()?;
    }
    Ok(file)
}

/// What interrupted installations left. Under the lock, so nobody is still at work there.
fn remove_leftovers(parent: &Path, prefix: &str) -> Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_complete_installation_gets_the_final_name() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("tool-1.2.3");
        once(&folder, |partial| Ok(fs::write(partial.join("tool"), "x")?)).unwrap();
        assert_eq!(names_in(&folder), ["tool"]);
        assert_eq!(names_in(cache.path()), ["tool-1.2.3", "tool-1.2.3.lock"]);
    }

    #[test]
    fn a_failed_installation_leaves_no_folder() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("tool-1.2.3");
        once(&folder, |_| bail!("no network")).unwrap_err();
        assert_eq!(names_in(cache.path()), ["tool-1.2.3.lock"]);
    }

    #[test]
    fn an_interrupted_installation_is_done_again() {
        let cache = tempfile::tempdir().unwrap();
        fs::create_dir_all(cache.path().join("tool-1.2.3.partial-7").join("target")).unwrap();
        fs::create_dir_all(cache.path().join("tool-1.2.30.partial-7")).unwrap();
        once(&cache.path().join("tool-1.2.3"), |_| Ok(())).unwrap();
        let left = names_in(cache.path());
        assert_eq!(left, ["tool-1.2.3", "tool-1.2.3.lock", "tool-1.2.30.partial-7"]);
    }

    #[test]
    fn what_is_there_is_not_installed_again() {
        let cache = tempfile::tempdir().unwrap();
        fs::create_dir_all(cache.path().join("tool-1.2.3")).unwrap();
        once(&cache.path().join("tool-1.2.3"), |_| bail!("must not run")).unwrap();
    }

    #[test]
    fn two_at_once_install_once() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("tool-1.2.3");
        let count = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    once(&folder, |_| {
                        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        Ok(())
                    })
                    .unwrap();
                });
            }
        });
        assert_eq!(count.into_inner(), 1);
    }
}
