//! What is done again, and what is kept.

use onesided_results::{
    directory::{Existing, RunDirectory, path_of},
    vocabulary::Source,
};

use crate::{place::Place, run, uncovered};

#[test]
fn runs_that_are_there_of_the_same_machine_are_kept() {
    let mut place = Place::new(&[run(1), run(2)]);
    // A number whose shortest form is read a bit beside it by a careless reader.
    place.change("one_way_ns", 187.318_281_828_459_05);
    place.simulate("").with(0, &["0 of 2 runs are complete, 2 to do"]);
    let told = place.simulate("").with(0, &["2 of 2 runs are complete, 0 to do"]);
    assert_eq!(told.stdout, "");
    let removed = path_of(&place.raw(), &run(2));
    std::fs::remove_dir_all(removed).expect("a run");
    place.simulate("").with(0, &["1 of 2 runs are complete, 1 to do"]);
    place.simulate("--again").with(0, &["0 of 2 runs are complete, 2 to do"]);
    place.simulate("--share 0.5").with(0, &["0 of 2 runs are complete, 2 to do"]);
    place.simulate("--share 0.5").with(0, &["2 of 2 runs are complete, 0 to do"]);
    place.change("poll_ns", 1.0);
    place.simulate("--share 0.5").with(0, &["0 of 2 runs are complete, 2 to do"]);
}

#[test]
fn a_run_that_was_refused_is_tried_again() {
    let place = Place::new(&[run(1), uncovered(2)]);
    place.simulate("").with(1, &[]);
    let told = place.simulate("").with(1, &["1 of 2 runs are complete, 1 to do", "run-2"]);
    assert_eq!(told.stdout.lines().count(), 2);
}

#[test]
fn what_was_measured_is_never_replaced() {
    let place = Place::new(&[run(1)]);
    place.simulate("").with(0, &[]);
    let mut measured = place.record(&run(1));
    measured.source = Source::Measured;
    let path = path_of(&place.raw(), &run(1));
    let directory = RunDirectory::create(&path, Existing::Replace).expect("a directory");
    directory.write_record(&measured).expect("a record");
    directory.commit().expect("a run");
    for arguments in ["", "--again", "--share 0.1"] {
        place.simulate(arguments).with(2, &["run-1", "measured", "choose another --out"]);
    }
    assert_eq!(place.record(&run(1)), measured);
}
