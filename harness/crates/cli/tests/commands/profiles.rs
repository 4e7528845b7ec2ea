//! Hardware profiles through the real program: the committed ones, and that of the machine at hand.

use std::path::{Path, PathBuf};

use crate::program::{Ended, command, ended, repository};

fn onesided(arguments: &[&str], directory: &Path) -> Ended {
    ended(command().current_dir(directory).args(arguments))
}

fn machine_files() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(repository().join("profiles")).expect("profiles");
    let folders = folders.map(|entry| entry.expect("an entry").path());
    folders.filter(|path| path.is_dir()).map(|path| path.join("machine.toml")).collect()
}

#[test]
fn every_committed_profile_passes_the_check_and_has_a_row_in_the_page() {
    let files = machine_files();
    assert!(files.len() >= 12, "{files:?}");
    let page = std::fs::read_to_string(repository().join("profiles/README.md")).expect("the page");
    for file in &files {
        let parameters = file.with_file_name("simulation.toml");
        if parameters.exists() {
            let check = ["check", parameters.to_str().expect("a plain path")];
            assert!(onesided(&check, repository()).valid().stdout.ends_with("of the simulator\n"));
        }
        let check = ["check", file.to_str().expect("a plain path")];
        let checked = onesided(&check, repository()).valid().stdout;
        let name = file.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        assert!(checked.contains(&format!("profile {name}, nodes: ")));
        assert!(page.contains(&format!("| `{name}` |")), "{name} is not in profiles/README.md");
    }
    let rows = page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, files.len(), "profiles/README.md has a row of no profile");
}

#[test]
fn a_wrong_profile_is_told_with_file_line_and_column_and_what_is_allowed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let folder = directory.path().join("profiles/wrong");
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = "[profile]\nname = \"wrong\"\ntitle = \"t\"\nkind = \"guessed\"\nsource = \"s\"\n";
    std::fs::write(folder.join("machine.toml"), text).expect("a file");
    let check = ["check", "profiles/wrong/machine.toml"];
    let told = onesided(&check, directory.path()).check_failed().stdout;
    assert!(told.starts_with("WRONG profiles/wrong/machine.toml: "), "{told}");
    for fragment in ["machine.toml:4:8: ", "`guessed`", "`published`", "`measured`"] {
        assert!(told.contains(fragment), "{fragment:?} is not in: {told}");
    }
}

#[test]
fn a_profile_of_another_version_is_told_with_what_to_do_by_whoever_reads_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let folder = directory.path().join("profiles/newer");
    std::fs::create_dir_all(&folder).expect("a folder");
    let found = "schema_version = 2, this program reads version 1: the file is of a newer program";
    for file in ["profiles/newer/machine.toml", "profiles/newer/simulation.toml"] {
        let path = directory.path().join(file);
        std::fs::write(path, "schema_version = 2\nnews = 1\n").expect("a file");
        let checked = onesided(&["check", file], directory.path()).check_failed().stdout;
        let told = format!("WRONG {file}: {file}:1:18: {found}");
        assert!(checked.starts_with(&told), "{checked}");
    }
    let advised = onesided(&["advise", "--profile", "newer"], directory.path());
    advised.could_not_run(&[&format!("profiles/newer/simulation.toml:1:18: {found}")]);
}

#[test]
fn the_machine_at_hand_is_written_as_a_profile_that_passes_the_check() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let write = || onesided(&["topology", "--profile", "mine"], directory.path());
    let file = directory.path().join("profiles/mine/machine.toml");
    assert_eq!(write().valid().stdout, "");
    onesided(&["check", "profiles/mine/machine.toml"], directory.path()).valid();
    let text = std::fs::read_to_string(&file).expect("the file");
    assert!(text.contains("kind = \"measured\""), "{text}");

    std::fs::write(&file, "by hand").expect("the file");
    write().could_not_run(&["is there already: --replace"]);
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "by hand");
    onesided(&["topology", "--profile", "mine", "--replace"], directory.path()).valid();
    // The memory of a virtual machine may change from one moment to the next.
    let constant = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with("memory_bytes")).map(str::to_owned).collect()
    };
    let written_again = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(constant(&written_again), constant(&text), "not deterministic");
}

#[test]
fn names_that_are_no_profiles_are_refused_and_nothing_is_written() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let names = [
        ("default", "Snakemake would take profiles/default"),
        ("template", "an example to copy"),
        ("../elsewhere", "\"../elsewhere\" cannot name a profile"),
        ("", "cannot name a profile"),
        (".hidden", "not first a '.'"),
    ];
    for (name, fragment) in names {
        onesided(&["topology", "--profile", name], directory.path()).could_not_run(&[fragment]);
    }
    assert_eq!(std::fs::read_dir(directory.path()).expect("the directory").count(), 0);
}

#[test]
fn the_template_shows_every_field_of_the_format() {
    let schema = onesided(&["schema", "machine-profile"], repository()).json();
    let path = repository().join("profiles/template/machine.toml");
    let text = std::fs::read_to_string(path).expect("the template");
    let tables = schema["$defs"].as_object().expect("definitions").values().chain([&schema]);
    let fields: Vec<&String> = tables
        .filter_map(|table| table["properties"].as_object())
        .flat_map(serde_json::Map::keys)
        .collect();
    assert!(fields.len() > 40, "{fields:?}");
    for field in fields {
        let forms = [format!("\n{field} = "), format!("[{field}]"), format!("[host.{field}]")];
        let is_there = forms.iter().any(|form| text.contains(form.as_str()));
        assert!(is_there, "the template does not show {field}");
    }
}
