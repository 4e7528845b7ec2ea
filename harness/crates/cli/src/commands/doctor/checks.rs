//! What the doctor looks at, one function each.

use onesided_measure::Clock;
use onesided_placement::{
    Container, MemoryLockLimit, NumaBalancing, Settings, Switch, Topology, refused_calls,
};
use onesided_platform::direct_io::{DirectIo, Owner, Roots};
use onesided_transport::{
    DeviceDescription, LinkLayer, PortState, Service, Transport, Word as _, gid, gid::GidError,
};
use onesided_verbs::{OpenError, VerbsDevice};

use super::{Finding, Weight, container};
use crate::{
    arguments::{BackEnd, DeviceArguments, usual_limits},
    back_end,
};

mod emulated;

/// Below this a region or a few hundred queue pairs do not fit. Ours: 64 MiB.
const MEMLOCK_BYTES: u64 = 64 << 20;

/// Everything, in the order in which a run would meet it.
pub fn all(arguments: &DeviceArguments) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Err(error) = arguments.check() {
        let advice = "the flags are about another back end".to_owned();
        findings.push(stop("flags", format!("{error:#}"), advice));
    }
    let inside = Container::detect();
    findings.extend(inside.as_ref().map(container::itself));
    match arguments.back_end {
        BackEnd::Verbs => of_verbs(arguments, inside.as_ref(), &mut findings),
        BackEnd::Rmc => emulated::all(arguments, &mut findings),
    }
    findings.push(topology());
    if inside.is_some() {
        findings.push(container::refused_calls(&refused_calls()));
        findings.push(container::results());
    }
    of_settings(&Settings::read(), inside.as_ref(), &mut findings);
    findings.push(clock());
    findings.push(fine("limits of `serve`", usual_limits()));
    findings
}

fn of_verbs(arguments: &DeviceArguments, inside: Option<&Container>, findings: &mut Vec<Finding>) {
    match back_end::open_verbs(arguments.device.as_deref(), arguments.device_port) {
        Ok(device) => of_device(&device, arguments, inside, findings),
        Err(error) => findings.push(no_device(&error.into(), inside)),
    }
}

fn no_device(error: &anyhow::Error, inside: Option<&Container>) -> Finding {
    let advice = match (inside, error.downcast_ref::<OpenError>()) {
        (Some(inside), Some(error)) => container::device_advice(inside, error),
        _ => "without one: --back-end rmc emulates one on this machine, and ci/lab runs this \
              program on Soft-RoCE in a virtual machine"
            .to_owned(),
    };
    stop("RDMA device", format!("{error:#}"), advice)
}

fn of_device(
    device: &VerbsDevice,
    arguments: &DeviceArguments,
    inside: Option<&Container>,
    findings: &mut Vec<Finding>,
) {
    let facts = device.description();
    let library = back_end::library_version().unwrap_or_else(|| "unknown version".to_owned());
    findings.push(fine("rdma-core", library));
    findings.push(port(facts));
    findings.push(address(facts, arguments, inside));
    findings.push(locality(facts, arguments));
    findings.push(direct_io(&Roots::default(), &facts.name));
    findings.push(limits(facts));
    if facts.driver.as_deref() == Some("rdma_rxe") {
        let advice = "good for testing; performance needs a NIC".to_owned();
        let found = "software (rdma_rxe): function, never performance".to_owned();
        findings.push(doubt("kind of device", found, advice));
    }
}

fn limits(facts: &DeviceDescription) -> Finding {
    let limits = facts.limits;
    let words = |services: &[Service]| match services {
        [] => "none".to_owned(),
        _ => services.iter().map(|service| service.word()).collect::<Vec<_>>().join(" "),
    };
    let found = format!(
        "{} queue pairs, {} requests each, {} reads outstanding, atomics: {:?}, services: {}, shared \
         receive queues: {}",
        limits.queue_pairs,
        limits.queue_depth,
        limits.max_rd_atomic_as_requester,
        facts.atomic_capability,
        words(&facts.services),
        words(&facts.shared_receives)
    );
    fine("device limits", found)
}

fn port(facts: &DeviceDescription) -> Finding {
    let found = format!(
        "{} port {}, {:?}, active MTU {}",
        facts.name, facts.port, facts.link_layer, facts.active_mtu
    );
    match facts.port_state {
        PortState::Active => fine("port", found),
        PortState::Inactive => stop(
            "port",
            format!("{found}: not active"),
            "`ip link set INTERFACE up` for RoCE, a subnet manager for InfiniBand".to_owned(),
        ),
    }
}

fn address(
    facts: &DeviceDescription,
    arguments: &DeviceArguments,
    inside: Option<&Container>,
) -> Finding {
    let table: Vec<_> = facts
        .gids
        .iter()
        .map(|entry| format!("{}: {} {}", entry.index, entry.kind, entry.gid))
        .collect();
    match gid::choose(facts.link_layer, &facts.gids, &[], arguments.gid_index) {
        Ok(choice) => fine("address", format!("{} [{}]", choice.reason, table.join("; "))),
        Err(GidError::NoneUsable) if inside.is_some() => {
            stop("address", "no GID can be used".to_owned(), container::ADDRESS_ADVICE.to_owned())
        }
        Err(error) => stop("address", "no GID can be used".to_owned(), error.to_string()),
    }
}

fn locality(facts: &DeviceDescription, arguments: &DeviceArguments) -> Finding {
    let locality = back_end::verbs_locality(&facts.name, arguments.device_node);
    let found = locality.to_string();
    if locality.node.is_some() || facts.link_layer == LinkLayer::None {
        return fine("device's node", found);
    }
    let advice = "name nodes by number, or say the device's with --device-node".to_owned();
    doubt("device's node", found, advice)
}

/// Intel DDIO at the root port above the device, and what a killed server left of it.
fn direct_io(roots: &Roots, device: &str) -> Finding {
    let left = match roots.left_over() {
        Ok(left) => left,
        Err(error) => {
            let error = anyhow::Error::new(error);
            let found = format!("whether a run left it switched off is not known: {error:#}");
            let advice = format!("look into {}, as root", roots.journals().display());
            return doubt("Direct I/O", found, advice);
        }
    };
    if let Some(left) = left.iter().find(|left| left.owner == Owner::Gone) {
        let found = format!("a run left it switched off ({})", left.journal.display());
        return doubt("Direct I/O", found, "`onesided serve` switches it on again".to_owned());
    }
    fine(
        "Direct I/O",
        match roots.state(device) {
            DirectIo::On => "on".to_owned(),
            DirectIo::Off => "off".to_owned(),
            DirectIo::Unsupported { why } => format!("cannot be read or changed: {why}"),
        },
    )
}

fn topology() -> Finding {
    match Topology::discover() {
        Ok(topology) if topology.nodes.len() < 2 => doubt(
            "NUMA nodes",
            "one".to_owned(),
            "rdma-remote needs a second node; ci/lab has machines with several".to_owned(),
        ),
        Ok(topology) => fine("NUMA nodes", topology.nodes.len().to_string()),
        Err(error) => stop("NUMA nodes", error.to_string(), "is /sys mounted?".to_owned()),
    }
}

fn of_settings(settings: &Settings, inside: Option<&Container>, findings: &mut Vec<Finding>) {
    findings.push(match settings.memlock {
        Some(MemoryLockLimit::Bytes(bytes)) if bytes < MEMLOCK_BYTES => too_little(bytes, inside),
        Some(MemoryLockLimit::Bytes(bytes)) => {
            fine("locked memory", format!("at most {bytes} bytes"))
        }
        Some(MemoryLockLimit::Unlimited) => fine("locked memory", "unlimited".to_owned()),
        None => doubt("locked memory", "not known".to_owned(), "see `ulimit -l`".to_owned()),
    });
    if settings.numa_balancing.as_ref().is_some_and(|mode| *mode != NumaBalancing::Off) {
        findings.push(doubt(
            "automatic NUMA balancing",
            "on: the kernel may move pages".to_owned(),
            "echo 0 > /proc/sys/kernel/numa_balancing".to_owned(),
        ));
    }
    let slow: Vec<_> =
        settings.governors.values().filter(|governor| *governor != "performance").collect();
    if let Some(governor) = slow.first() {
        findings.push(doubt(
            "frequency governor",
            format!("{governor} on {} CPUs", slow.len()),
            "cpupower frequency-set -g performance".to_owned(),
        ));
    }
    if settings.turbo == Some(Switch::On) {
        findings.push(doubt(
            "turbo",
            "CPUs may exceed their nominal frequency".to_owned(),
            "in /sys/devices/system/cpu: echo 1 > intel_pstate/no_turbo, or where that is not \
             there echo 0 > cpufreq/boost"
                .to_owned(),
        ));
    }
}

/// A limit on locked memory that is soon met, if it applies.
fn too_little(bytes: u64, inside: Option<&Container>) -> Finding {
    let found = format!("at most {bytes} bytes");
    match inside.map(|inside| container::locked_memory(inside, bytes)) {
        Some(Some(finding)) => finding,
        Some(None) => fine("locked memory", format!("{found}, which CAP_IPC_LOCK lifts")),
        None => doubt(
            "locked memory",
            found,
            "`ulimit -l unlimited`, memlock in /etc/security/limits.conf".to_owned(),
        ),
    }
}

fn clock() -> Finding {
    match Clock::calibrate() {
        Ok(clock) => {
            let facts = clock.description();
            let found = format!(
                "{} at {:.1} MHz, {:.1} ns a reading",
                facts.source.name(),
                facts.frequency_hz as f64 / 1e6,
                facts.cost_ns
            );
            if facts.invariant {
                return fine("clock", found);
            }
            let advice = "the record of each run says how far it drifted".to_owned();
            doubt("clock", format!("{found}, not marked invariant"), advice)
        }
        Err(error) => stop("clock", error.to_string(), "use another machine".to_owned()),
    }
}

pub(super) fn fine(what: &'static str, found: String) -> Finding {
    Finding { what, weight: Weight::Fine, found, advice: None }
}

pub(super) fn doubt(what: &'static str, found: String, advice: String) -> Finding {
    Finding { what, weight: Weight::Doubt, found, advice: Some(advice) }
}

pub(super) fn stop(what: &'static str, found: String, advice: String) -> Finding {
    Finding { what, weight: Weight::Stop, found, advice: Some(advice) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_left_of_direct_io_is_a_doubt_and_so_is_that_it_cannot_be_known() {
        let folder = tempfile::tempdir().unwrap();
        let journals = folder.path().join("journals");
        let look = || direct_io(&Roots::new(folder.path(), &journals), "mlx5_0");
        assert_eq!(look().weight, Weight::Fine);
        std::fs::write(&journals, "no folder").unwrap();
        let finding = look();
        assert_eq!(finding.weight, Weight::Doubt);
        assert!(finding.found.contains("journals: Not a directory"), "{}", finding.found);
        std::fs::remove_file(&journals).unwrap();
        std::fs::create_dir(&journals).unwrap();
        std::fs::write(journals.join("0000:3a:00.0.direct-io"), "").unwrap();
        let finding = look();
        assert_eq!(finding.weight, Weight::Doubt);
        assert!(finding.found.contains("left it switched off"), "{}", finding.found);
    }
}
