//! The recipes of the README are files of the hosts that are tested here.

use crate::host::{root, sources};
use anyhow::{Context, Result};
use std::fs;

/// A block of the README that follows `<!-- FILE -->` is a part of that file of `tests/hosts`, line by line.
#[test]
fn every_recipe_is_a_part_of_a_file_that_is_tested() -> Result<()> {
    let readme = fs::read_to_string(root().join("README.md"))?;
    let mut hosts = Vec::new();
    for recipe in readme.split("<!-- recipe: ").skip(1) {
        let (name, rest) = recipe.split_once(" -->\n```").context("a recipe is a block of code")?;
        let (_, block) = rest.split_once('\n').context("no code")?;
        let (block, _) = block.split_once("```").context("no end of the code")?;
        let file = fs::read_to_string(sources(name)).with_context(|| name.to_owned())?;
        let without_indent =
            |text: &str| text.lines().map(|line| format!("{}\n", line.trim_start())).collect::<String>();
        assert!(without_indent(&file).contains(&without_indent(block)), "{name} has no\n{block}");
        hosts.push(name.split('/').next().unwrap_or_default().to_owned());
    }
    for entry in fs::read_dir(sources(""))? {
        let name = entry?.file_name().into_string().unwrap();
        assert!(name == "hostile" || hosts.contains(&name), "the README has no recipe for {name}");
    }
    Ok(())
}
