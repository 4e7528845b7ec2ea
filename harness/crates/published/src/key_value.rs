//! Tables of RDMA-Memcached: clients, throughput of three placements, and two ratios of them.

use std::path::Path;

use onesided_results::vocabulary::Locality;

use crate::RawError;

/// The form of a line, for messages.
const FORM: &str = "clients, three throughputs and two ratios, separated by tabs";

/// How far a printed ratio may be from that of the printed throughputs: ten decimals are printed.
const PRINTED: f64 = 1e-9;

/// Where server and client are, in the order of the columns.
pub const PLACEMENTS: [Placement; 3] = [
    Placement { name: "both-local", server: Locality::RdmaLocal, client: Locality::RdmaLocal },
    Placement { name: "both-remote", server: Locality::RdmaRemote, client: Locality::RdmaRemote },
    Placement { name: "client-local", server: Locality::RdmaRemote, client: Locality::RdmaLocal },
];

/// Where server and client are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// As run names say it.
    pub name: &'static str,
    /// The server's memory and threads.
    pub server: Locality,
    /// The client's threads.
    pub client: Locality,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Clients.
    pub clients: u32,
    /// Operations per second in each of [`PLACEMENTS`].
    pub ops: [f64; 3],
}

/// The lines of a table. The last one may end without a line break, as the release's do.
///
/// # Errors
/// When a line is not of the form, or its ratios are not those of its throughputs.
pub fn read(path: &Path, text: &[u8]) -> Result<Vec<Row>, RawError> {
    let text = String::from_utf8_lossy(text);
    let lines = (1..).zip(text.lines());
    let rows: Vec<_> = lines.map(|(line, text)| row(path, line, text)).collect::<Result<_, _>>()?;
    if rows.is_empty() { Err(RawError::Empty { path: path.to_owned() }) } else { Ok(rows) }
}

fn row(path: &Path, line: usize, text: &str) -> Result<Row, RawError> {
    let malformed = || {
        let (path, found) = (path.to_owned(), text.to_owned());
        RawError::Malformed { path, line, found, expected: FORM }
    };
    let cells: Vec<&str> = text.split('\t').collect();
    let [clients, numbers @ ..] = &cells[..] else { return Err(malformed()) };
    let clients = clients.parse().map_err(|_| malformed())?;
    let numbers: Vec<f64> = numbers
        .iter()
        .map(|cell| cell.parse())
        .collect::<Result<_, _>>()
        .map_err(|_| malformed())?;
    let [local, remote, client_local, ratio, client_ratio] = numbers[..] else {
        return Err(malformed());
    };
    if let Some(negative) = numbers.iter().find(|number| **number < 0.0) {
        return Err(RawError::Negative {
            path: path.to_owned(),
            line,
            found: negative.to_string(),
        });
    }
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(malformed());
    }
    let agrees = |what, found: f64, expected: f64| {
        let close = (found - expected).abs() <= PRINTED * expected.abs();
        let path = path.to_owned();
        if close { Ok(()) } else { Err(RawError::Disagrees { path, line, what, found, expected }) }
    };
    agrees("the ratio of both local to both remote", ratio, local / remote)?;
    agrees("the ratio of both local to client local", client_ratio, local / client_local)?;
    Ok(Row { clients, ops: [local, remote, client_local] })
}

#[cfg(test)]
mod tests;
