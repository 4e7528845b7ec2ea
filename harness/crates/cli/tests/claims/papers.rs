//! The tables of `docs/papers.md` that lead from an experiment of 003 to its claims, held against designs,
//! figures and claims.
//!
//! What passing lets us claim: what needs a card is told apart from what the model or arithmetic judges,
//! no claim of that text is missing, and no row names what is not there.

use std::{collections::BTreeSet, fs};

use onesided_claims::{
    Claim,
    columns::Table,
    file::{Paper, Question},
};
use onesided_results::vocabulary::Source;

use super::{claims, designs, repository};

/// Headings of the two tables.
const BESIDE_A_CARD: &str = "### Judged by the model or arithmetic, some by a card too";
const BY_A_CARD: &str = "### Judged only by a card";

/// A row: what it names in each column.
struct Experiment {
    title: String,
    designs: BTreeSet<String>,
    figures: BTreeSet<String>,
    claims: Vec<String>,
    judged_by: BTreeSet<String>,
}

/// Names between backticks; the word `none` is no name.
fn names(cell: &str) -> Vec<String> {
    let names: Vec<_> = cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    assert_eq!(names.is_empty(), cell.trim() == "none", "names, or none: {cell}");
    names
}

/// The rows below `heading`.
fn experiments(heading: &str) -> Vec<Experiment> {
    let text = fs::read_to_string(repository().join("docs/papers.md")).unwrap();
    let after = text.split_once(&format!("{heading}\n")).expect("the heading stands there").1;
    let rows = after.lines().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let experiment = |line: &str| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [title, designs, figures, claims, judged_by] = cells[..] else { panic!("{line}") };
        Experiment {
            title: title.to_owned(),
            designs: names(designs).into_iter().collect(),
            figures: names(figures).into_iter().collect(),
            claims: names(claims),
            judged_by: judged_by.split(", ").map(str::to_owned).collect(),
        }
    };
    let experiments: Vec<_> = rows.skip(2).map(experiment).collect();
    assert!(!experiments.is_empty(), "{heading}: no rows");
    experiments
}

fn all_experiments() -> Vec<Experiment> {
    [BESIDE_A_CARD, BY_A_CARD].into_iter().flat_map(experiments).collect()
}

/// What gives a claim its verdict.
fn judged_by(claim: &Claim) -> &'static str {
    let Question::Parts(parts) = &claim.question else { return "card" };
    if claim.sources == [Source::Measured] {
        return "card";
    }
    assert_eq!(claim.sources, [Source::Simulated], "{}", claim.id);
    match parts[0].table {
        Table::PcieOperations => "arithmetic",
        Table::Shapes => "model",
        other => panic!("{}: {other} is neither the model's nor arithmetic", claim.id),
    }
}

#[test]
fn each_claim_of_003_stands_at_one_experiment_with_what_tells_it() {
    let claims = claims();
    let mut named = BTreeSet::new();
    for experiment in all_experiments() {
        let Experiment { title, claims: ids, judged_by: told, .. } = &experiment;
        let of = |id: &String| claims.get(id).unwrap_or_else(|| panic!("{title}: no claim {id}"));
        let derived: BTreeSet<_> = ids.iter().map(|id| judged_by(of(id)).to_owned()).collect();
        assert_eq!(told, &derived, "{title}: judged by");
        for id in ids {
            assert!(named.insert(id.clone()), "{title}: {id} stands there twice");
        }
    }
    let of_003 = |claim: &&Claim| {
        matches!(claim.paper, Paper::DesignGuidelines | Paper::DesignGuidelinesPutIn)
    };
    let all: BTreeSet<_> = claims.values().filter(of_003).map(|claim| claim.id.clone()).collect();
    assert_eq!(named, all, "in docs/papers.md, and in paper/claims.toml");
}

#[test]
fn what_only_a_card_judges_stands_apart() {
    for experiment in experiments(BY_A_CARD) {
        assert_eq!(
            experiment.judged_by,
            BTreeSet::from(["card".to_owned()]),
            "{}",
            experiment.title
        );
    }
    for experiment in experiments(BESIDE_A_CARD) {
        let others = experiment.judged_by.iter().filter(|word| *word != "card");
        assert!(others.count() > 0, "{}: only a card can tell it", experiment.title);
    }
}

#[test]
fn an_experiment_names_the_design_that_names_its_claims_and_figures_that_there_are() {
    let (claims, designs) = (claims(), designs());
    for Experiment { title, designs: of_it, figures, claims: ids, .. } in all_experiments() {
        for name in &of_it {
            let is_there = designs.iter().any(|design| design.name == *name);
            assert!(is_there, "{title}: no design {name}");
        }
        for figure in &figures {
            let script = repository().join(format!("figures/{figure}.R"));
            assert!(script.is_file(), "{title}: no figure {figure}");
        }
        for id in ids {
            let figure = claims[&id].figure;
            assert!(figure.is_none_or(|figure| figures.contains(figure)), "{id}: {figure:?}");
            let asking = designs.iter().filter(|design| design.claims.contains(&id));
            let asking: Vec<_> = asking.map(|design| &design.name).collect();
            assert!(asking.iter().all(|name| of_it.contains(*name)), "{id}: {asking:?}");
            let asks_runs = claims[&id].sources == [Source::Measured];
            assert_eq!(asking.is_empty(), !asks_runs, "{id}: asked by {asking:?}");
        }
    }
}
