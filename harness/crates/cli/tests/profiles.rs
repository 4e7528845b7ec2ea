//! Hardware profiles through the real program: the committed ones, and that of the machine at hand.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("harness/crates/cli in it")
}

fn onesided(arguments: &[&str], directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.args(arguments).current_dir(directory).output().expect("the program starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("output is text")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("output is text")
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
        let checked = onesided(&["check", file.to_str().expect("a plain path")], repository());
        assert_eq!(checked.status.code(), Some(0), "{}", stdout(&checked));
        let name = file.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        assert!(stdout(&checked).contains(&format!("profile {name}, nodes: ")));
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
    let checked = onesided(&["check", "profiles/wrong/machine.toml"], directory.path());
    assert_eq!(checked.status.code(), Some(1));
    let told = stdout(&checked);
    assert!(told.starts_with("WRONG profiles/wrong/machine.toml: "), "{told}");
    for fragment in ["machine.toml:4:8: ", "`guessed`", "`published`", "`measured`"] {
        assert!(told.contains(fragment), "{fragment:?} is not in: {told}");
    }
}

#[test]
fn the_machine_at_hand_is_written_as_a_profile_that_passes_the_check() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let write = || onesided(&["topology", "--profile", "mine"], directory.path());
    let file = directory.path().join("profiles/mine/machine.toml");
    let written = write();
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    assert_eq!(stdout(&written), "");
    let checked = onesided(&["check", "profiles/mine/machine.toml"], directory.path());
    assert_eq!(checked.status.code(), Some(0), "{}", stdout(&checked));
    let text = std::fs::read_to_string(&file).expect("the file");
    assert!(text.contains("kind = \"measured\""), "{text}");

    std::fs::write(&file, "by hand").expect("the file");
    let again = write();
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("is there already: --replace"), "{}", stderr(&again));
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "by hand");
    let replaced = onesided(&["topology", "--profile", "mine", "--replace"], directory.path());
    assert_eq!(replaced.status.code(), Some(0), "{}", stderr(&replaced));
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
        let refused = onesided(&["topology", "--profile", name], directory.path());
        assert_eq!(refused.status.code(), Some(2), "{name}");
        assert!(stderr(&refused).contains(fragment), "{name}: {}", stderr(&refused));
    }
    assert_eq!(std::fs::read_dir(directory.path()).expect("the directory").count(), 0);
}

#[test]
fn the_template_shows_every_field_of_the_format() {
    let schema = onesided(&["schema", "machine-profile"], repository());
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).expect("a schema");
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
