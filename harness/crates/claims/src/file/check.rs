//! Entries, held against what there is.

use std::collections::BTreeMap;

use onesided_results::{
    vocabulary::{Basis, ClaimKind, Quantifier, Source},
    word::nearest,
};

use super::{
    Claim, Filters, Part, Question,
    text::{Entry, PartText, Selection},
};
use crate::{
    aggregate::{Aggregate, Counted},
    cell::Scale,
    columns::{Column, Domain, MEASURES, Table, columns, measures},
    contrast::Contrast,
    error::EntryError,
};

/// Most words that an entry may quote. Ours: enough to find the sentence.
const MOST_WORDS: usize = 15;

/// Figures that show claims: scripts in `figures/`, without their ending.
pub const FIGURES: [&str; 34] = [
    "atomics",
    "atomics-by-counters",
    "ddio-off",
    "estimator-disagreement",
    "fabric-messages",
    "fabric-pagerank",
    "fabric-reads",
    "flushed-caches",
    "inbound-by-service",
    "key-value-by-puts",
    "latency-by-queue-pair-index",
    "latency-by-queue-pairs",
    "latency-ratio-by-queue-pairs",
    "memcached-by-clients",
    "memory-latency",
    "outbound-by-payload",
    "queue-pairs-by-threads",
    "send-limits",
    "sends-by-payload",
    "sends-by-queue-pairs",
    "shapes-by-size",
    "shapes-by-window",
    "throughput-at-32-connections",
    "throughput-at-64-bytes",
    "throughput-by-access-size",
    "throughput-by-load",
    "throughput-by-load-node",
    "throughput-by-mtu",
    "throughput-by-queue-pairs",
    "throughput-by-window",
    "throughput-by-workers",
    "throughput-by-write-ratio",
    "window-traces",
    "workers-poster",
];

/// What stands for no figure.
const NO_FIGURE: &str = "none";

type Selections = BTreeMap<String, Selection>;

/// The claim of an entry; `sources` can speak to it if it does not say which, and the study's
/// numbers are of `machines`.
pub fn claim(
    entry: Entry,
    selections: &Selections,
    sources: &[Source],
    machines: &[String],
) -> Result<Claim, EntryError> {
    let sentence = sentence(&entry)?;
    let figure = figure(&entry.figure)?;
    let sources = entry.sources.unwrap_or_else(|| sources.to_vec());
    if sources.is_empty() {
        return Err(contradiction("sources", "empty: give why-not if no source can speak to it"));
    }
    let question = match (entry.part, entry.why_not) {
        (parts, None) if !parts.is_empty() => {
            let parts = parts.into_iter().enumerate();
            let parts = parts.map(|(index, part)| checked_part(index, part, selections));
            Question::Parts(parts.collect::<Result<_, _>>()?)
        }
        (parts, Some(why)) if parts.is_empty() => Question::WhyNot(why),
        _ => return Err(contradiction("part", "give either parts or why-not")),
    };
    unit(&entry.unit, &question)?;
    let quantifier = quantifier(entry.quantifier, &question)?;
    let basis = basis(entry.basis, &question, &sources)?;
    // What others measured, elsewhere, is held against a model of that machine only.
    let machines = if entry.paper.is_of_others() { Vec::new() } else { machines.to_vec() };
    Ok(Claim {
        id: entry.id,
        kind: entry.kind,
        paper: entry.paper,
        section: entry.section,
        sentence,
        unit: entry.unit,
        figure,
        sources,
        across_profiles: entry.across_profiles,
        quantifier,
        basis,
        machines,
        question,
    })
}

/// A reader takes "% of" for a share: a change is against something.
fn unit(unit: &str, question: &Question) -> Result<(), EntryError> {
    let Question::Parts(parts) = question else { return Ok(()) };
    let is_change = |part: &Part| matches!(part.scale, Scale::Percent | Scale::LossPercent);
    if unit.contains("% of ") && parts.iter().any(is_change) {
        let reason = "\"% of\" is of shares, and this is a change: write \"% against\"";
        return Err(contradiction("unit", reason));
    }
    Ok(())
}

/// What is asked has a quantifier, and "up to" a bound to reach.
fn quantifier(
    quantifier: Option<Quantifier>,
    question: &Question,
) -> Result<Option<Quantifier>, EntryError> {
    let key = "quantifier";
    match (question, quantifier) {
        (Question::WhyNot(_), None) => Ok(None),
        (Question::WhyNot(_), Some(_)) => Err(contradiction(key, "nothing is asked: leave it out")),
        (Question::Parts(_), None) => {
            let reason = "missing: say of how many values the sentence speaks: all, typically, \
                          up-to, at-least-one or none";
            Err(contradiction(key, reason))
        }
        (Question::Parts(parts), Some(Quantifier::UpTo))
            if parts.iter().any(|part| part.expectation.low.is_none()) =>
        {
            Err(contradiction(key, "up-to needs a value to reach: give range or at-least"))
        }
        (Question::Parts(_), Some(quantifier)) => Ok(Some(quantifier)),
    }
}

/// What a model is asked has a basis.
fn basis(
    basis: Option<Basis>,
    question: &Question,
    sources: &[Source],
) -> Result<Option<Basis>, EntryError> {
    let is_asked = matches!(question, Question::Parts(_)) && sources.contains(&Source::Simulated);
    match (is_asked, basis) {
        (true, None) => {
            let reason = "missing: say what simulated values have from this sentence: put-in, \
                          chosen, fitted or predicted";
            Err(contradiction("basis", reason))
        }
        (false, Some(_)) => {
            Err(contradiction("basis", "no simulated value is asked: leave it out"))
        }
        (_, basis) => Ok(basis),
    }
}

fn contradiction(key: &str, reason: &str) -> EntryError {
    EntryError::Contradiction { key: key.to_owned(), reason: reason.to_owned() }
}

fn sentence(entry: &Entry) -> Result<String, EntryError> {
    let sentence = match (entry.kind, &entry.quote, &entry.statement) {
        (ClaimKind::Claim, Some(quote), None) => quote,
        (ClaimKind::Correction, None, Some(statement)) => return Ok(statement.clone()),
        // Of a text that is not ours to quote at length, what its numbers say in our words.
        (ClaimKind::Claim, None, Some(statement)) if entry.paper.is_of_others() => {
            return Ok(statement.clone());
        }
        (ClaimKind::Claim, ..) => {
            return Err(contradiction("quote", "a claim needs a quote, and has no statement"));
        }
        (ClaimKind::Correction, ..) => {
            let reason = "a correction needs a statement, and has no quote";
            return Err(contradiction("statement", reason));
        }
    };
    match sentence.split_whitespace().count() {
        words if words > MOST_WORDS => Err(EntryError::LongQuote { words, most: MOST_WORDS }),
        _ => Ok(sentence.clone()),
    }
}

fn figure(name: &str) -> Result<Option<&'static str>, EntryError> {
    if name == NO_FIGURE {
        return Ok(None);
    }
    let known = FIGURES.into_iter().find(|figure| *figure == name);
    known.map(Some).ok_or_else(|| unknown("figure", "figure", name, FIGURES.into_iter()))
}

fn unknown<'a>(
    key: &str,
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> EntryError {
    let known: Vec<_> = known.map(str::to_owned).collect();
    EntryError::Unknown {
        key: key.to_owned(),
        what,
        name: name.to_owned(),
        nearest: nearest(name, known.iter().map(String::as_str)).map(str::to_owned),
        known,
    }
}

fn checked_part(index: usize, part: PartText, selections: &Selections) -> Result<Part, EntryError> {
    let at = |key: &str| format!("part[{index}].{key}");
    let columns = columns(part.table);
    let mut filters = vec![part.filters];
    let mut filters_in = vec![part.filters_in];
    for name in &part.select {
        let selection = selections.get(name).ok_or_else(|| {
            unknown(&at("select"), "selection", name, selections.keys().map(String::as_str))
        })?;
        filters.push(selection.filters.clone());
        filters_in.push(selection.filters_in.clone());
    }
    for filters in filters.iter().chain(filters_in.iter().flat_map(BTreeMap::values)) {
        check_filters(&at("where"), filters, columns)?;
    }
    check_value(&at("value"), &part.value, part.table, columns)?;
    for contrast in &part.contrast {
        check_contrast(&at("contrast"), contrast, columns)?;
    }
    if part.contrast.is_empty() != (part.scale == Scale::Value) {
        let reason = "a contrast needs `as`, and `as` a contrast";
        return Err(contradiction(&at("as"), reason));
    }
    let counted = checked_counted(&at("counted"), part.aggregate, part.counted)?;
    let expectation =
        part.expect.check().map_err(|reason| contradiction(&at("expect"), &reason))?;
    Ok(Part {
        table: part.table,
        filters,
        filters_in,
        value: part.value,
        contrasts: part.contrast,
        scale: part.scale,
        aggregate: part.aggregate,
        counted,
        expectation,
    })
}

fn checked_counted(
    key: &str,
    aggregate: Aggregate,
    counted: Option<Counted>,
) -> Result<Counted, EntryError> {
    match (aggregate.counts(), counted) {
        (true, None) => Err(contradiction(key, "say which cells are counted; {} is all")),
        (false, Some(_)) => {
            let reason = "only aggregate = \"count\" and \"share-percent\" count cells";
            Err(contradiction(key, reason))
        }
        (_, Some(counted)) if !counted.is_possible() => {
            Err(contradiction(key, "no value is counted"))
        }
        (_, counted) => Ok(counted.unwrap_or_default()),
    }
}

fn check_filters(key: &str, filters: &Filters, columns: &[Column]) -> Result<(), EntryError> {
    for (name, level) in filters {
        let column = column(key, name, columns)?;
        level
            .check(column)
            .map_err(|message| EntryError::Shape { key: format!("{key}.{name}"), message })?;
    }
    Ok(())
}

fn column<'a>(key: &str, name: &str, columns: &'a [Column]) -> Result<&'a Column, EntryError> {
    let found = columns.iter().find(|column| column.name == name);
    found.ok_or_else(|| unknown(key, "column", name, columns.iter().map(|column| column.name)))
}

fn check_value(key: &str, value: &str, table: Table, columns: &[Column]) -> Result<(), EntryError> {
    let numbers = columns.iter().filter(|column| matches!(column.domain, Domain::Number));
    let known: Vec<_> = measures(table).chain(numbers.map(|column| column.name)).collect();
    if known.contains(&value) {
        return Ok(());
    }
    if MEASURES.iter().any(|measure| measure.name == value) {
        let reason = format!("{table} have no {value}; they have: {}", known.join(", "));
        return Err(contradiction(key, &reason));
    }
    Err(unknown(key, "value", value, known.into_iter()))
}

fn check_contrast(key: &str, contrast: &Contrast, columns: &[Column]) -> Result<(), EntryError> {
    let factor = column(key, &contrast.factor, columns)?;
    for name in &contrast.along {
        column(&format!("{key}.along"), name, columns)?;
    }
    for level in contrast.of.iter().chain([&contrast.over]) {
        level.check(factor).map_err(|message| EntryError::Shape {
            key: format!("{key}.{}", contrast.factor),
            message,
        })?;
    }
    if !factor.matched {
        let reason = format!("{} is no factor: it can only be filtered", contrast.factor);
        return Err(contradiction(key, &reason));
    }
    if contrast.of.as_ref() == Some(&contrast.over) {
        return Err(contradiction(key, "of and over are the same level"));
    }
    Ok(())
}
