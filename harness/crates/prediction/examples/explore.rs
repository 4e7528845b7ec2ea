//! exploration
use onesided_prediction::*;
use onesided_results::{
    row::ConditionRow,
    table::{Extra, TableReader},
};
use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (name, file, share) = (&args[1], &args[2], args[3].parse::<f64>().unwrap());
    let rows: Vec<ConditionRow> =
        TableReader::open(Path::new("../data/published/conditions.csv.gz"), Extra::Skipped)
            .unwrap()
            .map(|r| r.unwrap())
            .collect();
    let bad = ["oversub", "all-zero", "clock-not", "regime", "size-unknown", "one-at", "misfiled"];
    let rows: Vec<&ConditionRow> = rows
        .iter()
        .filter(|r| {
            &r.profile == name
                && !bad.iter().any(|b| r.doubts.contains(b))
                && !(name == "nurdma-cx4"
                    && r.worker_operation.to_string() == "mixed"
                    && r.code_generation.map(|c| c.to_string()).as_deref() == Some("v1"))
        })
        .collect();
    let mut profile = read_profile(Path::new(file)).unwrap();
    let effort = Effort::QUICK;
    let split = Split::DesignPoints { seed: 1, held_out: share };
    let mut fits = vec![];
    let mut held = vec![];
    let mut refused = std::collections::BTreeMap::new();
    for r in rows {
        match covered(r, effort.end()) {
            Err(e) => *refused.entry(e.to_string()).or_insert(0) += 1,
            Ok(scenario) => {
                let latency = r.throughput_ops.is_none();
                let Some(measured) = r.throughput_ops.or(r.latency_mean_ns) else { continue };
                let f = Fit { condition: r, scenario, measured, latency };
                if split.holds_out(r) { held.push(f) } else { fits.push(f) }
            }
        }
    }
    println!("{} fit, {} held, refused {refused:?}", fits.len(), held.len());
    let t = std::time::Instant::now();
    if args.len() > 4 {
        let fitted = fit(profile, &fits, effort, |s, l| {
            println!("step {s} loss {:.5} {:.0?}", l.sqrt(), t.elapsed())
        })
        .unwrap();
        profile = fitted.profile;
        println!("residual {}", fitted.residual);
        std::fs::write(&args[4], profile.to_text()).unwrap();
    }
    let points: Vec<(Point, bool)> = held
        .iter()
        .map(|h| {
            let p = profile.parameters(profile.set_up_of(h.condition));
            let x = predict(&p, &h.scenario, effort).unwrap();
            (
                Point {
                    condition: h.condition.clone(),
                    measured: h.measured,
                    predicted: if h.latency {
                        x.latency_mean_ns.unwrap()
                    } else {
                        x.throughput_ops
                    },
                },
                h.latency,
            )
        })
        .collect();
    let sd = |c: &ConditionRow| if c.operation.to_string() == "write" { 0.02 } else { 0.02 };
    println!("all {:?}", judge(points.iter().map(|p| &p.0), sd));
    let mut groups = std::collections::BTreeMap::new();
    for (p, _) in &points {
        groups
            .entry(format!(
                "{} {} w={} {:?}",
                p.condition.experiments,
                p.condition.operation,
                (p.condition.workers > 0) as u8,
                p.condition.load_kind
            ))
            .or_insert(vec![])
            .push(p);
    }
    for (g, ps) in groups {
        let j = judge(ps.into_iter(), sd);
        println!(
            "{g}: n={} med={:.3} p90={:.3} sign {}/{}",
            j.points,
            j.median_error.unwrap(),
            j.p90_error.unwrap(),
            j.right_pairs,
            j.significant_pairs
        );
    }
    let mut sorted: Vec<_> = points.iter().collect();
    sorted.sort_by(|a, b| b.0.relative_error().abs().total_cmp(&a.0.relative_error().abs()));
    for (p, _) in sorted.iter().take(25) {
        let c = &p.condition;
        println!(
            "{:+.2} m={:.0} p={:.0} {} {} {:?} qp{} {}B w{} {} {:?} load {:?} {:?} mtu {:?} {}",
            p.relative_error(),
            p.measured,
            p.predicted,
            c.experiments,
            c.operation,
            c.locality,
            c.queue_pairs,
            c.access_bytes,
            c.workers,
            c.worker_operation,
            c.worker_write_fraction,
            c.load_bytes,
            c.load_node,
            c.mtu_bytes,
            c.doubts
        );
    }
    let mut pairs = std::collections::BTreeMap::new();
    for (p, _) in &points {
        pairs
            .entry({
                let c = &p.condition;
                format!(
                    "{} {} {:?} {:?} qp{} {}B w{} {} {:?} load {:?} {:?} mtu {:?}",
                    c.experiments,
                    c.operation,
                    c.code_generation,
                    c.campaign,
                    c.queue_pairs,
                    c.access_bytes,
                    c.workers,
                    c.worker_operation,
                    c.worker_write_fraction,
                    c.load_bytes,
                    c.load_node,
                    c.mtu_bytes
                )
            })
            .or_insert(vec![])
            .push(p);
    }
    for (k, v) in pairs {
        if v.len() == 2 {
            let (m, q) =
                ((v[1].measured / v[0].measured).ln(), (v[1].predicted / v[0].predicted).ln());
            let n = 1.96
                * (sd(&v[0].condition).powi(2) / v[0].condition.runs as f64
                    + sd(&v[1].condition).powi(2) / v[1].condition.runs as f64)
                    .sqrt();
            if m.abs() > n && m * q <= 0.0 {
                println!("WRONG {k}: measured {m:+.3} predicted {q:+.3}");
            }
        }
    }
    for s in profile
        .parameters
        .iter()
        .chain(profile.set_ups.iter().flat_map(|s| &s.parameter))
        .filter(|s| s.free)
    {
        println!(
            "{} = {:.2} [{:.2} {:.2}]",
            s.name,
            s.value,
            s.low.unwrap_or(0.),
            s.high.unwrap_or(0.)
        );
    }
}
