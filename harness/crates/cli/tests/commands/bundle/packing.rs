//! What is packed, and what is refused.

use std::{fs, os::unix::fs::symlink};

use onesided_results::{bundle::RunCounts, record::Outcome};

use super::place::{CAMPAIGN, Place, is_empty};

#[test]
fn a_bundle_holds_runs_tables_and_machine_and_passes_the_check_packed_and_unpacked() {
    let place = Place::measured();
    let packed = place.bundle().valid();
    assert_eq!(packed.stdout, "mine.tar.gz\n");
    let runs = "3 runs (1 valid, 1 invalid, 1 failed) of 1 experiment, soft-roce; 3 in the tables";
    assert!(packed.stderr.contains(&format!("{CAMPAIGN}: {runs}")), "{}", packed.stderr);
    assert!(!packed.stderr.contains("left out"), "{}", packed.stderr);
    let told = format!("ok mine.tar.gz: bundle {CAMPAIGN}: {runs}\n");
    assert_eq!(place.onesided("check mine.tar.gz").valid().stdout, told);
    assert!(is_empty(&place.at("tmp")), "something was left behind");

    let manifest = place.manifest();
    assert_eq!(manifest.campaign, CAMPAIGN);
    assert_eq!(manifest.runs.first_started_at, "2026-01-31T23:59:00.000Z");
    assert_eq!(manifest.runs.last_started_at, "2026-02-01T00:01:00.000Z");
    let counts = RunCounts { valid: 1, doubtful: 0, invalid: 1, failed: 1 };
    assert_eq!(manifest.runs.experiments["by-hand"], counts);
    let names = place.names();
    for name in [
        "profiles/mine/machine.toml",
        "raw/mine/by-hand/first/run.json",
        "raw/mine/by-hand/first/windows.csv",
        "raw/mine/by-hand/first/latency.csv",
        "tables/mine/runs.csv.gz",
        "tables/mine/SHA256SUMS",
    ] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }

    let unpacked = place.unpack();
    let told = place.onesided(&format!("check {CAMPAIGN}")).valid().stdout;
    assert_eq!(told, format!("ok {CAMPAIGN}: bundle {CAMPAIGN}: {runs}\n"));
    // What a maintainer does next.
    place.onesided(&format!("collect --raw {CAMPAIGN}/raw --out again")).valid();
    let table = |folder: &str| fs::read(place.at(&format!("{folder}/runs.csv.gz"))).unwrap();
    assert_eq!(table("again"), table(&format!("{CAMPAIGN}/tables/mine")));
    let schema = place.onesided("schema bundle-manifest").json();
    let manifest = fs::read_to_string(unpacked.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    for field in schema["required"].as_array().unwrap() {
        assert!(manifest.get(field.as_str().unwrap()).is_some(), "{field}");
    }
}

#[test]
fn the_same_results_give_the_same_bytes_whatever_their_times_and_owners() {
    let place = Place::measured();
    place.bundle().valid();
    let first = fs::read(place.at("mine.tar.gz")).unwrap();
    // The same content elsewhere, written at another time, and the files in another order.
    let other = Place::measured();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    for path in ["results/raw/mine/by-hand/first/run.json", "profiles/mine/machine.toml"] {
        let text = fs::read_to_string(other.at(path)).unwrap();
        fs::remove_file(other.at(path)).unwrap();
        other.write(path, &text);
    }
    other.bundle().valid();
    assert!(fs::read(other.at("mine.tar.gz")).unwrap() == first);
}

#[test]
fn plans_and_notes_go_with_it() {
    let place = Place::measured();
    let table = place.at("results/plan/mine/smoke/latency-by-queue-pairs");
    fs::create_dir_all(&table).unwrap();
    let design = crate::program::design();
    let expand = "--level smoke --profile mine --out";
    let expand = format!("expand {} {expand} {}/runs.csv", design.display(), table.display());
    place.onesided(&expand).valid();
    place.write("about.txt", "DDIO is on.\n");
    place.onesided("bundle results --profile mine --notes about.txt --out mine.tar.gz").valid();
    assert_eq!(place.names()[0], "notes.md");
    assert_eq!(place.names()[1], "plan/mine/smoke/latency-by-queue-pairs/runs.csv");
    place.onesided("check mine.tar.gz").valid();
    assert_eq!(fs::read_to_string(place.unpack().join("notes.md")).unwrap(), "DDIO is on.\n");
}

#[test]
fn what_is_unfinished_and_what_no_results_have_is_left_out_and_told() {
    let place = Place::measured();
    place.bundle().valid();
    let names = place.names();
    place.write("results/raw/mine/by-hand/fourth.partial/run.json", "{");
    place.write("results/raw/mine/by-hand/fourth.lock", "process 1");
    place.write("results/raw/mine/by-hand/first/token", "secret");
    place.write("results/raw/mine/token", "secret");
    place.write("results/tables/mine/notes.txt", "secret");
    place.write("results/raw/mine/by-hand/first/deeper/run.json", "secret");
    place.write("results/token", "secret");
    let packed = place.onesided("bundle --profile mine --out mine.tar.gz --replace").valid();
    let unfinished = "left out, unfinished (lock, or run that was not completed): 2 names: ";
    assert!(packed.stderr.contains(unfinished), "{}", packed.stderr);
    let unknown = "left out, no file that a bundle has: 4 names: ";
    assert!(packed.stderr.contains(unknown), "{}", packed.stderr);
    assert!(packed.stderr.contains("results/raw/mine/by-hand/first/token"), "{}", packed.stderr);
    assert_eq!(place.names(), names);
}

#[test]
fn a_name_with_a_line_break_is_told_in_one_line() {
    let place = Place::measured();
    place.write("results/raw/mine/by-hand/first/a\nonesided: all is well\u{1b}[2J", "secret");
    let packed = place.bundle().valid();
    assert!(
        packed.stderr.contains("first/a\\nonesided: all is well\\u{1b}[2J"),
        "{}",
        packed.stderr
    );
    assert!(
        packed.stderr.lines().all(|line| !line.starts_with("onesided: all")),
        "{}",
        packed.stderr
    );
}

#[test]
fn an_archive_that_is_there_is_kept_unless_it_is_to_be_replaced() {
    let place = Place::measured();
    place.write("mine.tar.gz", "of another day");
    place.bundle().could_not_run(&["--out mine.tar.gz is there already: --replace writes it anew"]);
    assert_eq!(fs::read(place.at("mine.tar.gz")).unwrap(), b"of another day");
    place.onesided("bundle --profile mine --out mine.tar.gz --replace").valid();
    place.onesided("check mine.tar.gz").valid();
}

/// The run table of a design in the place where the workflow makes it, with the first of its runs.
fn planned(place: &Place) -> (String, String) {
    let folder = "results/plan/mine/smoke/latency-by-queue-pairs";
    fs::create_dir_all(place.at(folder)).unwrap();
    let design = crate::program::design();
    let expand = "--level smoke --profile mine --out";
    place.onesided(&format!("expand {} {expand} {folder}/runs.csv", design.display())).valid();
    let table = fs::read_to_string(place.at(&format!("{folder}/runs.csv"))).unwrap();
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let column = lines.next().unwrap().iter().position(|name| *name == "run_id").unwrap();
    (folder.to_owned(), lines.next().unwrap()[column].to_owned())
}

#[test]
fn what_a_machine_could_not_do_goes_with_its_run_table() {
    let place = Place::measured();
    let (folder, first) = planned(&place);
    let list =
        |run: &str, of: &str| format!("experiment,run_id,why\n{of},{run},\"no second node\"\n");
    let left_out = format!("{folder}/left-out.csv");
    place.write(&left_out, &list("other", "latency-by-queue-pairs"));
    place.write(
        "results/plan/mine/smoke/left-out.txt",
        "1 of 9 runs cannot be done on this machine\n",
    );
    let packed = place.bundle().valid();
    let told =
        "left out, made of lists that are packed: 1 name: results/plan/mine/smoke/left-out.txt";
    assert!(packed.stderr.contains(told), "{}", packed.stderr);
    assert!(!packed.stderr.contains("no file that a bundle has"), "{}", packed.stderr);
    assert_eq!(place.names()[0], "plan/mine/smoke/latency-by-queue-pairs/left-out.csv");
    place.onesided("check mine.tar.gz").valid();
    fs::remove_file(place.at("mine.tar.gz")).unwrap();
    for (run, of) in [(first.as_str(), "latency-by-queue-pairs"), ("other", "atomics")] {
        place.write(&left_out, &list(run, of));
        let told = place.bundle().check_failed().stdout;
        let fragment = format!("run {run} of {of} is in the run table, or of another design");
        assert!(told.contains(&fragment), "{told}");
    }
    place.write(&left_out, &list("other", "latency-by-queue-pairs"));
    fs::remove_file(place.at(&format!("{folder}/runs.csv"))).unwrap();
    let told = place.bundle().check_failed().stdout;
    assert!(told.contains("there is no runs.csv beside left-out.csv"), "{told}");
}

#[test]
fn notes_behind_a_link_are_not_sent() {
    let place = Place::measured();
    place.write("secret", "a token");
    symlink("secret", place.at("notes.md")).unwrap();
    let notes = place.onesided("bundle --profile mine --notes notes.md --out mine.tar.gz");
    let told =
        "--notes notes.md is a symbolic link, and none is followed: name the file itself, secret";
    notes.could_not_run(&[told]);
    assert!(!place.at("mine.tar.gz").exists());
}

#[test]
fn what_is_damaged_is_told_all_at_once_and_nothing_is_packed() {
    let place = Place::measured();
    let windows = place.at("results/raw/mine/by-hand/first/windows.csv");
    let text = fs::read_to_string(&windows).unwrap();
    fs::write(&windows, text.replace("0,0,0,1\n", "0,0,0,2\n")).unwrap();
    fs::remove_file(place.at("results/raw/mine/by-hand/second/run.json")).unwrap();
    let refused = place.bundle().check_failed();
    let told = &refused.stdout;
    assert!(told.contains("WRONG results/raw/mine/by-hand/first: "), "{told}");
    assert!(told.contains("11 operations, but run.json beside it says 10"), "{told}");
    assert!(told.contains("WRONG results/raw/mine/by-hand/second: "), "{told}");
    assert!(told.contains("there is no run.json"), "{told}");
    assert!(refused.stderr.contains("nothing was packed"), "{}", refused.stderr);
    assert!(!place.at("mine.tar.gz").exists());
}

#[test]
fn tables_of_other_runs_and_runs_in_the_wrong_place_are_refused() {
    let place = Place::measured();
    place.run("fourth", Outcome::Valid, "2026-02-02T00:00:00.000Z");
    place.collect();
    let by_hand = place.at("results/raw/mine/by-hand");
    fs::rename(by_hand.join("fourth"), by_hand.join("fifth")).unwrap();
    let told = place.bundle().check_failed().stdout;
    assert!(told.contains("the record is of raw/mine/by-hand/fourth"), "{told}");
    assert!(told.contains("there is no run fourth of by-hand: `onesided collect --raw"), "{told}");
    fs::remove_dir_all(by_hand.join("fifth")).unwrap();
    place.collect();
    place.bundle().valid();
}

#[test]
fn what_is_missing_is_told_with_what_to_do() {
    let place = Place::empty();
    place.bundle().could_not_run(&["there is no results/raw/mine: name the folder of results"]);
    let place = Place::measured();
    fs::remove_dir_all(place.at("results/tables")).unwrap();
    place.bundle().could_not_run(&["there is no table: `onesided collect --raw results/raw/mine"]);
    place.collect();
    fs::remove_file(place.at("results/tables/mine/clients.csv.gz")).unwrap();
    let told = place.bundle().check_failed().stdout;
    assert!(told.contains("clients.csv.gz is missing: `onesided collect"), "{told}");
    place.collect();
    fs::remove_file(place.at("profiles/mine/machine.toml")).unwrap();
    let remedy = "there is no profiles/mine/machine.toml: `onesided topology --profile mine`";
    place.bundle().could_not_run(&[remedy]);
    let ending = place.onesided("bundle --profile mine --out mine.zip");
    ending.could_not_run(&["--out mine.zip: the name of a bundle ends in .tar.gz"]);
    let notes = place.onesided("bundle --profile mine --notes none.md --out mine.tar.gz");
    notes.could_not_run(&["--notes none.md"]);
    assert!(!place.at("mine.tar.gz").exists());
}

#[test]
fn no_link_is_followed() {
    for (link, to) in [
        ("results/raw/mine/by-hand/linked", "results/raw/mine/by-hand/first"),
        ("results/raw/mine/by-hand/first/load.csv", "profiles/mine/machine.toml"),
        ("results/tables/mine/memory-latency.csv.gz", "profiles/mine/machine.toml"),
        ("results/plan", "profiles"),
        ("profiles/mine/simulation.toml", "results"),
    ] {
        let place = Place::measured();
        symlink(place.at(to), place.at(link)).unwrap();
        place.bundle().could_not_run(&[&format!("{link} is a symbolic link")]);
        assert!(!place.at("mine.tar.gz").exists());
    }
}
