//! Studies: sweeps that are no runs of a table.

use std::{
    collections::HashMap,
    fs,
    io::{self, ErrorKind, stdout},
    path::Path,
};

use anyhow::Context;
use onesided_prediction::{ShapePoint, SimulatedMachine, Study, shape};
use onesided_results::{
    row::ShapeRow,
    table::{Row, write_table},
};

use super::{Arguments, jobs, jobs_of};
use crate::{ending::Ending, lines::Lines, printed::counted};

/// Simulates the points of the studies that were asked for, in their order.
pub(super) fn run(arguments: &Arguments, machine: &SimulatedMachine) -> anyhow::Result<Ending> {
    let points = points(&arguments.study)?;
    if let Some(set_up) = &machine.set_up {
        say!("set-up: {set_up}, of runs with ddio = {}", machine.ddio);
    }
    let one = |(_, point): &(&Study, ShapePoint)| {
        shape(&machine.parameters, point).with_context(|| format!("cannot simulate {point:?}"))
    };
    let (mut rows, mut first, mut told) = (Vec::new(), HashMap::new(), points.iter());
    let mut lines = Lines::on(stdout());
    jobs::in_order(jobs_of(arguments), &points, one, |found| {
        let (study, point) = told.next().expect("each point is told once");
        let begin = *first.entry((study.name, point.operation)).or_insert(found.throughput_ops);
        let begin = Some(begin).filter(|begin| *begin > 0.0);
        let of = (arguments.profile.as_str(), machine.set_up.as_deref());
        let row = found.row(of, study, point, begin);
        lines.line(&row)?;
        rows.push(row);
        // The rest is for the table alone, if there is to be one.
        let is_wanted = lines.are_read() || arguments.out.is_some();
        if is_wanted { Ok(()) } else { Err(io::Error::from(ErrorKind::BrokenPipe).into()) }
    })?;
    if let Some(folder) = &arguments.out {
        write(folder, &rows)?;
    }
    Ok(Ending::Valid)
}

/// All points, those of a study that is named twice once.
fn points(names: &[String]) -> anyhow::Result<Vec<(&'static Study, ShapePoint)>> {
    let mut points = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let study = Study::of(name).context("--study")?;
        if !names[..at].contains(name) {
            points.extend(study.points().into_iter().map(|point| (study, point)));
        }
    }
    Ok(points)
}

fn write(folder: &Path, rows: &[ShapeRow]) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(ShapeRow::FILE);
    write_table(&path, rows)?;
    say!("{}: {}", counted(rows.len(), "point"), path.display());
    Ok(())
}
