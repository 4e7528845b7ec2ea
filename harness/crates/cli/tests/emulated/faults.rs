//! What goes wrong is told, and ends.

use std::{
    fs::{self, Permissions},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::program::{AT_MOST, Place, Server, ended, ending, send_signal};

#[test]
fn a_server_that_is_killed_ends_its_client_and_leaves_a_node_that_the_next_one_removes() {
    let place = Place::new();
    let mut server = place.serve("--device rmc7");
    let client = place.client(&server, "--operation read --duration 60s").spawn().expect("starts");
    std::thread::sleep(Duration::from_millis(1_500));
    server.kill();
    let killed = Instant::now();
    let client = ending(client);
    assert!(killed.elapsed() < Duration::from_secs(15), "{:?}", killed.elapsed());
    assert_eq!(client.status, Some(2), "{client:#?}");
    assert!(client.stderr.contains("is gone"), "{}", client.stderr);
    let next = place.serve("--device rmc7");
    let words = format!("was left by process {}, which has ended: it is removed", server.process());
    assert!(next.said.contains("node 7 of") && next.said.contains(&words), "{}", next.said);
    drop(next);
}

#[test]
fn a_server_that_is_asked_to_end_does_so_in_order_beside_a_run_and_strangers() {
    for signal in ["-TERM", "-INT"] {
        let place = Place::new();
        let server = place.serve("--device rmc7");
        let client = place
            .client(&server, "--operation read --duration 60s --workers 1")
            .spawn()
            .expect("starts");
        let silent = TcpStream::connect(server.address()).expect("anybody may connect");
        std::thread::sleep(Duration::from_millis(1_500));
        server.signal(signal);
        let asked = Instant::now();
        server.ended_well();
        let took = asked.elapsed();
        assert!(took < Duration::from_secs(5), "{signal}: {took:?}");
        let client = ending(client);
        assert_eq!(client.status, Some(2), "{client:#?}");
        drop(silent);
        // Its node is gone: the next one finds nothing to remove.
        let next = place.serve("--device rmc7");
        assert!(!next.said.contains("was left by"), "{}", next.said);
    }
}

/// Names of the nodes of a place's fabric.
fn nodes_of(place: &Place) -> Vec<String> {
    let mut folders = vec![place.path().join("fabric")];
    let mut nodes = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => nodes.extend(name.starts_with("node-").then_some(name)),
            }
        }
    }
    nodes.sort();
    nodes
}

#[test]
fn what_measures_and_is_asked_to_end_leaves_no_node_behind() {
    type Make = fn(&Place, &Server) -> Command;
    let run: Make = |place, server| place.client(server, "--operation read --duration 60s");
    let visibility: Make = |place, _| {
        let mut command = place.command("visibility");
        command.args(["--rounds", "1000000000", "--time-limit", "60s"]);
        command
    };
    let reads: Make = |place, _| {
        let mut command = place.plain();
        command.args(["fabric", "reads", "--replicates", "100000", "--fabric"]);
        command.arg(place.path().join("fabric"));
        command
    };
    for (make, signal, status) in
        [(run, "-TERM", 143), (run, "-INT", 130), (visibility, "-TERM", 143), (reads, "-INT", 130)]
    {
        let place = Place::new();
        let server = place.serve("--device rmc7");
        let child = make(&place, &server).spawn().expect("starts");
        let start = Instant::now();
        while nodes_of(&place).len() < 2 {
            assert!(start.elapsed() < AT_MOST, "it makes no node");
            std::thread::sleep(Duration::from_millis(20));
        }
        send_signal(signal, child.id());
        let ended = ending(child);
        assert_eq!(ended.status, Some(status), "{ended:#?}");
        assert!(ended.stderr.contains("nothing that is unfinished was left"), "{}", ended.stderr);
        assert_eq!(nodes_of(&place), ["node-7"]);
    }
}

#[test]
fn a_server_that_is_asked_to_end_waits_for_no_client_hosts() {
    let place = Place::new();
    let server = place.serve("--wait-for-clients 40s");
    let run = "--client-hosts 2 --threads 2 --queue-pairs 2 --duration 1s";
    let client = place.client(&server, run).spawn().expect("starts");
    std::thread::sleep(Duration::from_millis(1_500));
    server.signal("-TERM");
    let asked = Instant::now();
    let status = server.ended();
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(matches!(status.code(), Some(0 | 1)), "{status}");
    let client = ending(client);
    assert_eq!(client.status, Some(2), "{client:#?}");
}

#[test]
fn two_processes_cannot_have_one_node_and_the_second_is_told_whose_it_is() {
    let place = Place::new();
    let first = place.serve("--device rmc3");
    let second = ended(place.command("serve").args(["--device", "rmc3"]));
    assert_eq!(second.status, Some(2), "{second:#?}");
    let whose = format!("is in use by process {}", first.process());
    assert!(second.stderr.contains("node 3 of") && second.stderr.contains(&whose), "{second:#?}");
}

#[test]
fn sides_that_emulate_different_delays_are_told_both() {
    let place = Place::new();
    let server = place.serve("--hop-delay 50ns");
    let run = ended(&mut place.client(&server, "--hop-delay 60ns"));
    assert_eq!(run.status, Some(2), "{run:#?}");
    let both = "the peer emulates 50 ns a hop, this side 60 ns: a fabric has one delay";
    assert!(run.stderr.contains(both), "{}", run.stderr);
}

#[test]
fn sides_in_different_contexts_are_told_to_look_at_their_flags() {
    let place = Place::new();
    let server = place.serve("--context 1");
    let run = ended(&mut place.client(&server, "--context 2"));
    assert_eq!(run.status, Some(2), "{run:#?}");
    let both = "do both sides name the same fabric and context?";
    assert!(run.stderr.contains(both) || run.stderr.contains("context-"), "{}", run.stderr);
}

#[test]
fn flags_of_the_other_back_end_are_refused_by_name() {
    let place = Place::new();
    for (flags, told) in [
        (["--gid-index", "1"], "--gid-index is of an RDMA port"),
        (["--device-port", "1"], "--device-port is of an RDMA port"),
        (["--device", "mlx5_0"], "--device mlx5_0 is no node of an emulated fabric"),
        (["--device", "rmc4000"], "a fabric has nodes 0 to 1023"),
        (["--device-node", "77"], "--device-node 77 is not there"),
        (["--hop-delay-of", "nowhere"], "cannot read profiles/nowhere/machine.toml"),
        (["--hop-delay", "1s"], "a delay of 1s a hop is above the longest, 1ms"),
    ] {
        let refused = ended(place.command("serve").args(flags));
        assert_eq!(refused.status, Some(2), "{flags:?}: {refused:#?}");
        assert!(refused.stderr.contains(told), "{flags:?}: {}", refused.stderr);
    }
}

#[test]
fn a_folder_where_nothing_can_be_made_is_named() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.args(["serve", "--back-end", "rmc", "--fabric", "/proc/self"]);
    let refused = ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    assert!(refused.stderr.contains("/proc/self/context-0"), "{}", refused.stderr);
}

#[test]
fn a_context_of_somebody_else_is_refused_with_what_to_do() {
    let place = Place::new();
    let folder = place.path().join("fabric");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o500)).expect("a mode");
    if std::fs::write(folder.join("probe"), "").is_ok() {
        // Permissions do not bind this user, who is root.
        println!("SKIPPED a_context_of_somebody_else: permissions do not bind this user");
        return;
    }
    let refused = ended(&mut place.command("serve"));
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    assert!(refused.stderr.contains("no permission for"), "{}", refused.stderr);
    assert!(refused.stderr.contains("chmod"), "{}", refused.stderr);
}

#[test]
fn the_doctor_looks_at_what_an_emulated_run_needs() {
    let place = Place::new();
    let doctor = ended(&mut place.command("doctor"));
    assert_eq!(doctor.status, Some(0), "{doctor:#?}");
    for what in [
        "emulated fabric",
        "shared memory",
        "cores",
        "never RDMA",
        "services: rc uc ud, shared receive queues: rc uc ud",
    ] {
        assert!(doctor.stdout.contains(what), "{what}: {}", doctor.stdout);
    }
}
