//! `onesided pcie` through the real program.
//!
//! What passing lets us claim: it prints the numbers of Kalia et al. (USENIX ATC 2016) for their
//! clusters' profiles; the stored tables of `data/arithmetic` are what it prints now; and bad input
//! ends with status 2, a message that names it and what would be right, and nothing on stdout.

use onesided_results::{
    row::{PcieOperationRow, PcieTransferRow},
    vocabulary::{PciePost, PcieResource, PcieSide, PcieTransfer, Source},
};
use serde::de::DeserializeOwned;

use crate::program::{repository, run};

#[track_caller]
fn valid(arguments: &str) -> String {
    run("pcie", arguments).valid().stdout
}

#[track_caller]
fn refused(arguments: &str, fragments: &[&str]) {
    run("pcie", arguments).could_not_run(fragments);
}

#[track_caller]
fn rows<R: DeserializeOwned>(arguments: &str) -> Vec<R> {
    let csv = valid(&format!("{arguments} --csv"));
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().expect("rows of the table")
}

/// A SEND over UD at its requester.
const SEND: &str = "--operation send --transport ud --unsignaled --side requester";

#[test]
fn a_batch_of_10_wqes_of_65_bytes_takes_1534_bytes_and_1800_by_mmio() {
    // 36 + 29 bytes.
    let write = "--profile atc16-cib --operation write --transport uc --bytes 29B --unsignaled \
                 --side requester --batch 10 --post mmio,doorbell";
    let rows: Vec<PcieOperationRow> = rows(write);
    let found: Vec<_> = rows.iter().map(|row| (row.post, row.cpu_to_device_bytes * 10.0)).collect();
    assert_eq!(found, [(PciePost::Mmio, 1800.0), (PciePost::Doorbell, 1534.0)]);
    assert_eq!([rows[0].wqe_bytes, rows[0].wqe_lines], [65, 2]);
    assert_eq!([rows[0].mmio_writes, rows[1].mmio_writes], [2.0, 0.1]);
}

#[test]
fn sends_of_cib_are_bound_to_87_5_million_by_mmio_and_105_million_by_wqes_fetched() {
    let both = format!("--profile atc16-cib {SEND} --bytes 60B --batch 16 --post mmio,doorbell");
    let rows: Vec<PcieOperationRow> = rows(&both);
    let [stored, rung] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(stored.write_combining_limit_ops, Some(87_520_000));
    assert_eq!(stored.bottleneck, Some(PcieResource::WriteCombining));
    assert_eq!(rung.wqe_fetch_limit_ops, Some(105_024_000));
    assert_eq!(rung.cpu_to_device_limit_ops, Some(103_556_943));
    assert_eq!(rung.bottleneck, Some(PcieResource::CpuToDevice));
    assert_eq!((rung.write_combining_limit_ops, rung.signal_every), (None, None));
    assert_eq!((rung.source, rung.back_end.as_str()), (Source::Simulated, "pcie"));
}

#[test]
fn a_header_only_send_takes_one_cache_line_of_175_million() {
    let rows: Vec<PcieOperationRow> = rows(&format!("--profile atc16-cib {SEND} --header-only"));
    assert_eq!(rows[0].write_combining_limit_ops, Some(175_040_000));
    assert_eq!((rows[0].wqe_bytes, rows[0].access_bytes, rows[0].payload), (64, 0, None));
}

#[test]
fn a_profile_and_its_link_by_itself_give_the_same_numbers() {
    for (profile, link) in [
        ("atc16-cx", "--generation 2.0 --lanes 8"),
        ("atc16-cx3", "--generation 3 --lanes 8"),
        ("atc16-cib", "--generation 3.0 --lanes 16"),
    ] {
        let of =
            |link: &str| rows::<PcieOperationRow>(&format!("{link} --operation read --bytes 4KiB"));
        let mut stated = of(&format!("--profile {profile}"));
        assert_eq!(stated[0].profile.as_deref(), Some(profile));
        stated.iter_mut().for_each(|row| row.profile = None);
        assert_eq!(stated, of(link));
    }
}

#[test]
fn transfers_by_dma_take_less_from_the_cpu_than_by_mmio() {
    let rows: Vec<PcieTransferRow> = rows("--profile atc16-cib --transfers --sweep 1-256");
    assert_eq!(rows.len(), 3 * 256);
    let of = |way| {
        let of_way = rows.iter().filter(move |row| row.transfer == way);
        of_way.map(|row| row.cpu_to_device_bytes)
    };
    assert!(of(PcieTransfer::DmaRead).zip(of(PcieTransfer::Mmio)).all(|(dma, mmio)| dma < mmio));
    assert_eq!(of(PcieTransfer::Mmio).next(), Some(90));
    assert_eq!(of(PcieTransfer::DmaRead).nth(128), Some(129 + 2 * 22));
}

#[test]
fn tables_name_transfers_limits_the_bottleneck_and_where_each_is_from() {
    let text = valid(
        "--profile atc16-cib --operation send --transport ud --bytes 60B --batch 16 --unsignaled",
    );
    for said in [
        "PCI Express 3.0 x16 of atc16-cib: 15753.6 MB/s each way",
        "send over ud, 60 B, inline, by Doorbell, 16 a batch, unsignaled; WQE of 128 B in 2 cache",
        "At the requester, per operation:",
        "At the responder, per operation:",
        "dma-read of 2048 B",
        "152.125",
        "103.56",
        "105.02",
        "bottleneck",
        "003 §5.2.1",
        "003 Fig 2a",
    ] {
        assert!(text.contains(said), "{said:?} is not in:\n{text}");
    }
    assert!(valid("--generation 3.0 --lanes 16 --transfers --bytes 65B").contains("180"));
}

#[test]
fn json_has_every_part_and_limit_with_its_source() {
    let text = valid("--profile atc16-cx3 --operation fetch-and-add --json");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["link"]["generation"], "3.0");
    assert_eq!(json["link"]["bytes_per_second"], 7_876_800_000_u64);
    let sides: Vec<_> = json["operations"].as_array().expect("operations").iter().collect();
    assert_eq!([&sides[0]["side"], &sides[1]["side"]], ["requester", "responder"]);
    assert_eq!(sides[1]["parts"].as_array().expect("parts").len(), 2);
    for side in sides {
        for part in side["parts"].as_array().expect("parts") {
            assert!(part["source"].as_str().is_some_and(|source| source.starts_with("003")));
        }
        assert!(side["bottleneck"].is_string());
    }
}

#[test]
fn a_recv_is_at_its_responder_and_inlined_it_takes_one_dma_write() {
    let of = |more: &str| {
        let recv = "--profile atc16-cx3 --operation recv --transport ud --bytes 32B";
        rows::<PcieOperationRow>(&format!("{recv} {more}"))
    };
    let (plain, inlined) = (of(""), of("--inline"));
    assert_eq!((plain.len(), plain[0].side), (1, PcieSide::Responder));
    assert_eq!((plain[0].dma_writes, inlined[0].dma_writes), (2.0, 1.0));
}

#[test]
fn the_stored_tables_are_what_the_program_computes() {
    let sends =
        format!("--profile atc16-cib {SEND} --sweep 0-256 --batch 16 --post mmio,doorbell --csv");
    let receives = |profile: &&str| {
        ["--sweep 0-60", "--sweep 1-60 --inline"].map(|payloads| {
            format!("--profile {profile} --operation recv --transport ud {payloads} --csv")
        })
    };
    let receives = ["atc16-cx", "atc16-cx3", "atc16-cib"].iter().flat_map(receives);
    let transfers = "--profile atc16-cib --transfers --sweep 1-256 --csv".to_owned();
    for (file, tables) in [
        ("pcie-transfers.csv", vec![transfers]),
        ("pcie-operations.csv", [sends].into_iter().chain(receives).collect()),
    ] {
        let path = repository().join("data/arithmetic").join(file);
        let stored = std::fs::read_to_string(&path).expect("a stored table");
        let rows_of = |(index, arguments): (usize, &String)| -> String {
            let table = valid(arguments);
            // One header for all.
            table.lines().skip(usize::from(index > 0)).map(|line| format!("{line}\n")).collect()
        };
        let computed: Vec<String> = tables.iter().enumerate().map(rows_of).collect();
        assert!(stored == computed.concat(), "{file} is stale: data/README.md says how it is made");
    }
}

#[test]
fn a_profile_without_its_link_is_refused_with_what_to_add() {
    let read = "--operation read --bytes 8";
    refused(
        &format!("--profile asplos14-simulated {read}"),
        &["profiles/asplos14-simulated/machine.toml", "add pcie_generation and pcie_lanes"],
    );
    refused(&format!("--profile nowhere {read}"), &["--profile nowhere", "cannot read"]);
    refused(read, &["--profile"]);
    refused(&format!("--generation 3.0 {read}"), &["--lanes"]);
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let told = |arguments: &str, fragments: &[&str]| {
        refused(&format!("--generation 3.0 --lanes 16 {arguments}"), fragments);
    };
    told("--operation read --transport ud --bytes 8", &["read over ud", "carried by rc"]);
    told("--operation send --bytes 2KiB", &["2048 B", "at most 972 B", "--no-inline"]);
    told("--operation send --bytes 8 --batch 0", &["a batch of 0", "1 to 65536", "--batch"]);
    told("--operation send --bytes 8 --batch 4 --post mmio", &["--batch 4", "--post doorbell"]);
    told("--operation send --bytes 8 --signal-every 0", &["every 0", "--unsignaled"]);
    told("--operation write --header-only", &["a write of 0 B", "send and recv"]);
    told("--operation write", &["--bytes 64B"]);
    told("--operation compare-and-swap --bytes 16B", &["an atomic of 16 B", "8 B"]);
    told("--operation recv --bytes 8 --side requester", &["--side requester", "send"]);
    told("--operation send --bytes 8 --completion 48", &["48 B", "32, 64 and 128"]);
    told("--operation read --bytes 8 --inline", &["a read cannot be inlined"]);
    told("--operation read --sweep 9-8", &["9-8", "descends"]);
    told(
        "--operation read --bytes 8 --max-payload 100",
        &["--max-payload", "100 B", "128 to 4096"],
    );
    told("--operation read --bytes 8 --transfers", &["--transfers"]);
    refused("--generation 6.0 --lanes 16 --operation read --bytes 8", &["6.0", "5.0"]);
    refused("--generation 3.0 --lanes 12 --operation read --bytes 8", &["--lanes 12", "16 or 32"]);
}
