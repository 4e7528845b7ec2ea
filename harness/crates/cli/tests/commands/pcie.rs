//! `onesided pcie` through the real program.
//!
//! What passing lets us claim: it prints the numbers of Kalia et al. (USENIX ATC 2016) for their
//! clusters' profiles; the stored tables of `data/arithmetic` are what it prints now; and bad input
//! ends with status 2, a message that names it and what would be right, and nothing on stdout.

use onesided_results::{
    row::{PcieHostRow, PcieOperationRow, PcieTransactionRow, PcieTransferRow, PcieVerbRow},
    vocabulary::{
        LinkLayer, PcieEnd, PcieOperation, PciePost, PciePurpose, PcieResource, PcieSide,
        PcieTransaction, PcieTransfer, PcieTransport, Source,
    },
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
        "send over ud on infiniband, 60 B, inline, by Doorbell, 16 a batch, unsignaled; WQE of 128 B",
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
    for (arguments, said) in [
        ("--generation 3.0 --lanes 16 --transfers --bytes 65B", "180"),
        ("--profile atc16-cx3 --operation read --bytes 8 --transactions", "8 + 22"),
        ("--verbs", "972 B"),
        ("--profile atc16-cib --hosts", "15753.6 MB/s"),
    ] {
        let text = valid(arguments);
        assert!(text.contains(said), "{said:?} is not in:\n{text}");
    }
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

/// What the sum of transactions takes at a side per operation, to the card and back.
fn summed(transactions: &[PcieTransactionRow], side: PcieSide) -> [f64; 2] {
    [PcieEnd::Cpu, PcieEnd::Device].map(|from| {
        let sent = transactions.iter().filter(|row| row.side == side && row.sent_by == from);
        let bytes = |row: &PcieTransactionRow| {
            (row.packets * (row.data_bytes + row.header_bytes)) as f64
                / f64::from(row.once_in_operations)
        };
        sent.map(bytes).sum()
    })
}

#[test]
fn transactions_add_up_to_what_the_operation_takes_at_each_side() {
    for operation in [
        "--operation write --bytes 28B",
        "--operation write --bytes 4KiB --no-inline --post doorbell --batch 3 --signal-every 4",
        "--operation read --bytes 1000B --max-payload 256 --read-completion 64",
        "--operation compare-and-swap",
        "--operation send --transport ud --bytes 60B --batch 16 --unsignaled",
        "--operation send --transport ud --header-only --link-layer ethernet",
        "--operation recv --transport ud --bytes 16B --inline --batch 8",
    ] {
        let asked = format!("--profile atc16-cib {operation}");
        let transactions: Vec<PcieTransactionRow> = rows(&format!("{asked} --transactions"));
        let steps: Vec<_> = transactions.iter().map(|row| row.step).collect();
        assert_eq!(steps, (1..).take(steps.len()).collect::<Vec<u32>>());
        let sides: Vec<PcieOperationRow> = rows(&asked);
        for row in sides {
            let [to_card, back] = summed(&transactions, row.side);
            for (sum, whole) in
                [(to_card, row.cpu_to_device_bytes), (back, row.device_to_cpu_bytes)]
            {
                assert!((sum - whole).abs() < 1e-9, "{operation}, {}: {sum} {whole}", row.side);
            }
        }
    }
}

#[test]
fn a_header_only_datagram_is_one_dma_write_on_infiniband_and_two_on_ethernet() {
    let written = |link: &str| {
        let send = "--operation send --transport ud --header-only --transactions";
        let rows: Vec<PcieTransactionRow> = rows(&format!("{link} {send}"));
        let at_responder = rows.into_iter().filter(|row| row.side == PcieSide::Responder);
        let writes = at_responder.filter(|row| row.transaction == PcieTransaction::MemoryWrite);
        writes.map(|row| (row.purpose, row.data_bytes, row.link_layer)).collect::<Vec<_>>()
    };
    let infiniband = Some(LinkLayer::Infiniband);
    // As the profile's card says; a link by itself is the paper's.
    for link in ["--profile atc16-cib", "--generation 3.0 --lanes 16"] {
        assert_eq!(written(link), [(PciePurpose::Completion, 64, infiniband)]);
    }
    let ethernet = Some(LinkLayer::Ethernet);
    let two = [(PciePurpose::DatagramWrite, 40, ethernet), (PciePurpose::Completion, 64, ethernet)];
    // The lab's card says so; of another it can be asked.
    for link in ["--profile soft-roce-lab", "--profile atc16-cib --link-layer ethernet"] {
        assert_eq!(written(link), two);
    }
}

#[test]
fn verbs_are_those_of_table_1_and_only_a_datagrams_receipt_differs_by_network() {
    let rows: Vec<PcieVerbRow> = rows("--verbs");
    assert_eq!(rows.len(), 6 * 3 * 2);
    let carried = |transport| {
        let of = rows.iter().filter(|row| row.transport == transport && row.carried);
        of.filter(|row| row.link_layer == LinkLayer::Infiniband).map(|row| row.operation).collect()
    };
    let uc: Vec<_> = carried(PcieTransport::Uc);
    assert_eq!(uc, [PcieOperation::Write, PcieOperation::Send, PcieOperation::Recv]);
    assert_eq!(carried(PcieTransport::Ud), [PcieOperation::Send, PcieOperation::Recv]);
    assert_eq!(carried(PcieTransport::Rc).len(), 6);
    for row in &rows {
        let datagram = row.transport == PcieTransport::Ud;
        let header = match (row.operation, datagram) {
            _ if !row.carried => None,
            (PcieOperation::Recv, _) => Some(16),
            (_, true) => Some(68),
            (_, false) => Some(36),
        };
        assert_eq!(row.wqe_header_bytes, header, "{row:?}");
        let with_header = datagram && row.link_layer == LinkLayer::Ethernet;
        let received = match row.operation {
            PcieOperation::Recv => Some(if with_header { 40 } else { 0 }),
            _ => None,
        };
        assert_eq!(row.received_header_bytes, received, "{row:?}");
    }
}

#[test]
fn hosts_are_what_their_profile_states_and_nothing_that_it_does_not() {
    let of = |profile| rows::<PcieHostRow>(&format!("--profile {profile} --hosts"));
    let [cib] = &of("atc16-cib")[..] else { panic!("one card") };
    assert_eq!((cib.source, cib.pcie_bytes_per_second), (Source::Published, Some(15_753_600_000)));
    assert_eq!((cib.card_model.as_deref(), cib.ports), (Some("Connect-IB"), Some(2)));
    assert_eq!(
        (cib.processor_model.as_deref(), cib.sockets),
        (Some("Intel Xeon E5-2683 v3"), None)
    );
    // The study does not say how its card is attached.
    let [cx3] = &of("nurdma-cx3")[..] else { panic!("one card") };
    assert_eq!((cx3.pcie_generation, cx3.pcie_bytes_per_second), (None, None));
    assert_eq!((cx3.sockets, cx3.logical_cpus), (Some(2), Some(48)));
    assert_eq!(cx3.link_bits_per_second, Some(56_000_000_000));
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
    let hosts = ["atc16-cx", "atc16-cx3", "atc16-cib", "nurdma-cx3"]
        .map(|profile| format!("--profile {profile} --hosts --csv"));
    for (file, tables) in [
        ("pcie-transfers.csv", vec![transfers]),
        ("pcie-operations.csv", [sends].into_iter().chain(receives).collect()),
        ("pcie-verbs.csv", vec!["--verbs --csv".to_owned()]),
        ("pcie-hosts.csv", hosts.into()),
        ("pcie-transactions.csv", stored_transactions()),
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

/// The operations whose transactions are stored, as data/README.md lists them.
fn stored_transactions() -> Vec<String> {
    let text = std::fs::read_to_string(repository().join("data/README.md")).expect("README");
    let listed = text.lines().filter_map(|line| line.trim().strip_prefix("transactions --"));
    let all: Vec<_> = listed.map(|line| format!("--{line} --transactions --csv")).collect();
    assert!(all.len() > 10, "data/README.md lists {} operations", all.len());
    all
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
    refused(&format!("{read} --hosts"), &["--hosts"]);
    refused("--generation 3.0 --lanes 8 --hosts", &["--profile"]);
    refused("--verbs --profile atc16-cib", &["--verbs"]);
    refused("--profile atc16-cib --transactions", &["--operation"]);
    refused(&format!("--profile atc16-cib {read} --transactions --side requester"), &["--side"]);
    refused(&format!("--generation 3.0 {read}"), &["--lanes"]);
}

#[test]
fn a_card_that_does_not_say_its_network_is_asked_for_it_where_that_matters() {
    let stated = repository().join("profiles/atc16-cib/machine.toml");
    let stated = std::fs::read_to_string(stated).expect("a profile");
    let silent = stated.replace("link_layer = \"infiniband\"\n", "");
    assert_ne!(silent, stated);
    let profiles = tempfile::tempdir().expect("a folder");
    let folder = profiles.path().join("atc16-cib");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("machine.toml"), silent).expect("a profile");
    let of = format!("--profile atc16-cib --profiles {}", profiles.path().display());
    let datagram = format!("{of} --operation recv --transport ud --bytes 8");
    refused(&datagram, &["--transport ud", "profile atc16-cib", "--link-layer"]);
    let said: Vec<PcieOperationRow> = rows(&format!("{datagram} --link-layer ethernet"));
    assert_eq!(said[0].link_layer, Some(LinkLayer::Ethernet));
    // A READ is the same on every network.
    let read: Vec<PcieOperationRow> = rows(&format!("{of} --operation read --bytes 8"));
    assert_eq!(read[0].link_layer, None);
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
