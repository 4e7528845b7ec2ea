use onesided_results::vocabulary::Level;
use toml::Value;

use super::*;

const DESIGN: &str = r#"
replicates = 3
block_by = ["replicate", "server_region"]

[experiment]
name = "sample"
title = "A sample"
question = "Does it read?"

[fixed]
loop = "closed"
access_bytes = 64

[factors]
queue_pairs = [1, 2, 4]
server_region = ["rdma-local", "rdma-remote"]

[level.smoke]
replicates = 1
[level.smoke.fixed]
queue_pairs = 1
[level.smoke.factors]
access_bytes = [8, 64]
"#;

fn parse(text: &str) -> Result<Design, DesignError> {
    Design::parse(Path::new("sample.toml"), text)
}

/// The message about the sample design with one change.
fn message(before: &str, after: &str) -> String {
    assert!(DESIGN.contains(before), "the sample has no {before:?}");
    parse(&DESIGN.replacen(before, after, 1)).unwrap_err().to_string()
}

fn values(settings: &[Setting]) -> Vec<Value> {
    settings.iter().map(|setting| setting.value.clone()).collect()
}

#[test]
fn a_design_says_what_is_fixed_and_what_varies() {
    let design = parse(DESIGN).unwrap();
    assert_eq!((design.name.as_str(), design.replicates), ("sample", 3));
    assert_eq!(design.block_by, [BlockBy::Replicate, BlockBy::Factor("server_region".to_owned())]);
    let (_, settings) = design.at(Level::Full).unwrap();
    assert_eq!(values(&settings.factors["queue_pairs"]), [1, 2, 4].map(Value::Integer));
    assert_eq!(settings.fixed["access_bytes"].value, Value::Integer(64));
    assert_eq!(settings.fixed["access_bytes"].place, Place { line: 12, column: 16 });
}

#[test]
fn a_level_replaces_factors_by_fixed_values_and_the_reverse() {
    let (replicates, settings) = parse(DESIGN).unwrap().at(Level::Smoke).unwrap();
    assert_eq!(replicates, 1);
    assert_eq!(settings.fixed["queue_pairs"].value, Value::Integer(1));
    assert!(!settings.factors.contains_key("queue_pairs"));
    assert_eq!(values(&settings.factors["access_bytes"]), [8, 64].map(Value::Integer));
    assert!(!settings.fixed.contains_key("access_bytes"));
    assert_eq!(settings.factors["server_region"].len(), 2);
}

#[test]
fn a_level_that_the_design_does_not_have_is_refused_with_those_it_has() {
    let error = parse(DESIGN).unwrap().at(Level::Reproduce).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sample.toml has no [level.reproduce]; levels there: full, smoke"
    );
}

#[test]
fn a_misspelt_factor_is_named_with_its_place_and_the_nearest() {
    let message = message("queue_pairs = [", "queue_pair = [");
    let start = "sample.toml:15:1: \"queue_pair\" is no factor, did you mean \"queue_pairs\"?; \
                 factors are: operation, write_fraction, access_bytes,";
    assert!(message.starts_with(start), "{message}");
}

#[test]
fn a_misspelt_word_is_named_with_its_place_and_the_nearest() {
    assert_eq!(
        message("\"closed\"", "\"cloesd\""),
        "sample.toml:11:8: loop = \"cloesd\": unknown loop \"cloesd\", did you mean \"closed\"?; \
         allowed: closed, saturating, batch, open, ping-pong"
    );
}

#[test]
fn the_wrong_one_of_several_levels_is_pointed_at() {
    let negative = message("[1, 2, 4]", "[1, -2, 4]");
    assert!(negative.starts_with("sample.toml:15:19: queue_pairs = -2: invalid"), "{negative}");
    let text = message("[1, 2, 4]", "[1,\n  \"two\"]");
    assert!(text.starts_with("sample.toml:16:3: queue_pairs = \"two\": invalid"), "{text}");
}

#[test]
fn a_misspelt_table_is_named_with_the_nearest() {
    let message = message("[factors]", "[factor]");
    assert!(message.starts_with("sample.toml:14:2: unknown field `factor`"), "{message}");
    assert!(message.ends_with("did you mean \"factors\"?"), "{message}");
}

#[test]
fn what_is_no_toml_is_refused_with_its_place() {
    let message = message("replicates = 3", "replicates = = 3");
    assert!(message.starts_with("sample.toml:2:14: "), "{message}");
}

#[test]
fn a_level_of_another_name_is_refused() {
    let message = message("[level.smoke]", "[level.smoky]");
    assert!(message.contains("unknown field `smoky`"), "{message}");
    assert!(message.ends_with("did you mean \"smoke\"?"), "{message}");
}

#[test]
fn what_the_expansion_gives_cannot_be_designed() {
    assert_eq!(
        message("loop = ", "seed = 3\nloop = "),
        "sample.toml:11:1: \"seed\" is given by `expand`: leave it out"
    );
}

#[test]
fn levels_that_cannot_be_meant_are_refused() {
    assert_eq!(
        message("[1, 2, 4]", "[1, 2, 1]"),
        "sample.toml:15:22: factor \"queue_pairs\" has the level 1 twice: for repetitions use \
         `replicates`"
    );
    assert_eq!(
        message("[1, 2, 4]", "[]"),
        "sample.toml:15:15: factor \"queue_pairs\" has no level: give it one or more"
    );
    assert_eq!(
        message("loop = ", "queue_pairs = 1\nloop = "),
        "sample.toml:11:1: \"queue_pairs\" is fixed and a factor: remove one"
    );
    assert_eq!(
        message("replicates = 3", "replicates = 0"),
        "sample.toml:2:14: replicates is 0; allowed: 1 or more"
    );
}

#[test]
fn blocks_are_by_replicate_or_a_factor() {
    assert_eq!(
        message("\"server_region\"]", "\"server_regoin\"]"),
        "sample.toml:3:26: cannot block by \"server_regoin\", did you mean \"server_region\"?; \
         allowed: replicate, queue_pairs, server_region"
    );
    let without = DESIGN.replace("block_by = [\"replicate\", \"server_region\"]", "");
    assert_eq!(parse(&without).unwrap().block_by, [BlockBy::Replicate]);
}

#[test]
fn a_design_goes_by_the_name_of_its_file() {
    assert_eq!(
        message("name = \"sample\"", "name = \"simple\""),
        "sample.toml:6:8: the experiment's name is \"simple\", but the file's is \"sample\": make \
         them the same"
    );
}

#[test]
fn factors_that_change_together_are_read_and_may_be_replaced_at_a_level() {
    let text = DESIGN.replace(
        "[level.smoke]",
        "[[together]]\nthreads = [1, 1]\nwindow = [1, 2]\n\n[level.smoke]",
    );
    let settings = |text: &str| parse(text).unwrap().at(Level::Smoke).unwrap().1;
    let unchanged = settings(&text);
    assert_eq!(values(&unchanged.together[0]["threads"]), [1, 1].map(Value::Integer));
    assert_eq!(values(&unchanged.together[0]["window"]), [1, 2].map(Value::Integer));
    let one = settings(&text.replace("[level.smoke.fixed]", "[level.smoke.fixed]\nwindow = 3"));
    assert_eq!(one.fixed["window"].value, Value::Integer(3));
    assert_eq!(one.together[0].keys().collect::<Vec<_>>(), ["threads"]);
    let other = settings(&format!("{text}\n[[level.smoke.together]]\nthreads=[1]\nwindow=[5]\n"));
    assert_eq!((other.together.len(), other.together[0].len()), (1, 2));
    assert_eq!(values(&other.together[0]["window"]), [Value::Integer(5)]);
}

#[test]
fn factors_that_cannot_change_together_are_refused() {
    let group = |lines: &str| {
        message("[level.smoke]\n", &format!("[[together]]\n{lines}\n[level.smoke]\n"))
    };
    assert_eq!(
        group("threads = [1, 1]\nwindow = [1, 2, 3]"),
        "sample.toml:20:10: \"window\" has 3 levels and \"threads\" has 2: those of one \
         [[together]] change together and need as many"
    );
    assert_eq!(
        group("queue_pairs = [1]"),
        "sample.toml:19:1: \"queue_pairs\" is in [[together]] and elsewhere, too: remove one"
    );
    let twice = group("window = [1]\n[[together]]\nwindow = [2]");
    assert!(twice.starts_with("sample.toml:21:1: \"window\" is in [[together]]"), "{twice}");
    let misspelt = group("thread = [1]");
    assert!(misspelt.contains("19:1: \"thread\" is no factor, did you mean"), "{misspelt}");
}

/// The sample with a cost of its full level, of 18 runs of 2.2 s, and what comes of it.
fn with_cost(cost: &str) -> Result<Design, DesignError> {
    parse(&DESIGN.replace("[fixed]\nloop", &format!("[experiment.cost]\n{cost}\n\n[fixed]\nloop")))
}

#[test]
fn a_cost_is_what_the_design_expands_to() {
    let design = with_cost("full = { runs = 18, blocks = 6, seconds = 40 }").unwrap();
    assert_eq!(design.costs[&Level::Full].runs, 18);
    assert_eq!(design.costs[&Level::Full].blocks, 6);
    assert_eq!(design.costs[&Level::Full].running, std::time::Duration::from_millis(18 * 2200));
    assert!(parse(DESIGN).unwrap().costs.is_empty(), "it may be left unsaid");
}

#[test]
fn a_wrong_cost_is_refused_with_its_place_and_the_right_one() {
    let message = |cost: &str| with_cost(cost).unwrap_err().to_string();
    assert_eq!(
        message("full = { runs = 17, blocks = 6, seconds = 40 }"),
        "sample.toml:11:17: the cost of level full is said to be runs = 17, but the design expands \
         to runs = 18"
    );
    assert_eq!(
        message("full = { runs = 18, blocks = 3, seconds = 40 }"),
        "sample.toml:11:30: the cost of level full is said to be blocks = 3, but the design expands \
         to blocks = 6"
    );
    assert_eq!(
        message("smoke = { runs = 4, blocks = 2, seconds = 8 }"),
        "sample.toml:11:43: the cost of level smoke is said to be seconds = 8, but the design \
         expands to seconds = 9"
    );
    assert_eq!(
        message("reproduce = { runs = 4, blocks = 2, seconds = 9 }"),
        "sample.toml:11:13: there is a cost of level reproduce but no [level.reproduce]: add that \
         or remove the cost"
    );
    let misspelt = message("fulll = { runs = 4, blocks = 2, seconds = 9 }");
    assert!(misspelt.contains("unknown field `fulll`"), "{misspelt}");
    assert!(misspelt.ends_with("did you mean \"full\"?"), "{misspelt}");
}
