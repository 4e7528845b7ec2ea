mod committed;

use proptest::prelude::*;

use super::*;

/// The committed template: every field of the format is in it.
const TEMPLATE: &str = include_str!("../../../../../profiles/template/machine.toml");
const PATH: &str = "profiles/template/machine.toml";

fn parse_template(text: &str) -> Result<MachineProfile, ProfileError> {
    parse(Path::new(PATH), text)
}

/// The message about the template with one change, which must point at `at` in the changed text.
#[track_caller]
fn refused(before: &str, after: &str, at: &str, fragments: &[&str]) {
    assert_eq!(TEMPLATE.matches(before).count(), 1, "{before:?} must be in the template once");
    let text = TEMPLATE.replace(before, after);
    let message = parse_template(&text).expect_err("it is wrong").to_string();
    let offset = text.find(at).expect("the place is in the text");
    let line = text[..offset].matches('\n').count() + 1;
    let column = offset - text[..offset].rfind('\n').map_or(0, |end| end + 1) + 1;
    assert!(message.starts_with(&format!("{PATH}:{line}:{column}: ")), "{at:?}: {message}");
    for fragment in fragments {
        assert!(message.contains(fragment), "{fragment:?} is not in: {message}");
    }
}

#[test]
fn a_fault_of_syntax_and_a_field_that_is_none_are_told_with_their_place() {
    refused("title = \"Example", "title = = \"Example", "= \"Example", &["`=`"]);
    let fragments = ["`socket`", "`sockets`", "did you mean \"sockets\"?"];
    refused("sockets = 2", "socket = 2", "socket = 2", &fragments);
    refused("[network]", "[netwrok]", "netwrok", &["`software`", "mean \"network\"?"]);
    refused("[profile]", "[host2]", "host2", &["unknown field `host2`", "`profile`"]);
}

#[test]
fn a_profile_of_another_version_is_told_with_its_place_and_what_to_do() {
    let version = "schema_version = 1";
    let reads = "this program reads version 1";
    refused(
        version,
        "schema_version = 2",
        "2\n",
        &["schema_version = 2, ", reads, "newer program"],
    );
    let older = ["schema_version = 0, ", reads, "profiles/README.md", "write schema_version = 1"];
    refused(version, "schema_version = 0", "0\n", &older);
    refused(version, "schema_version = 1.5", "1.5", &["1.5", "i64"]);
    // Before it was said.
    let before = parse_template(&TEMPLATE.replace(version, "")).unwrap();
    assert_eq!(before, parse_template(TEMPLATE).unwrap());
}

#[test]
fn a_word_that_is_no_choice_is_told_with_all_that_are() {
    let kinds = ["`rmda`", "`rdma`", "`soft-rdma`", "`no-rdma`", "mean \"rdma\"?"];
    refused("kind = \"rdma\" ", "kind = \"rmda\" ", "\"rmda\"", &kinds);
    let fabrics = ["`roce`", "`infiniband`", "`roce-v2`", "`ethernet`", "`memory-fabric`"];
    refused("fabric = \"infiniband\"", "fabric = \"roce\"", "\"roce\"", &fabrics);
    refused("role = \"any\"", "role = \"both\"", "\"both\"", &["`server`", "`client`", "`any`"]);
}

#[test]
fn a_number_that_cannot_count_is_told_with_its_place() {
    refused("sockets = 2", "sockets = 0", "0   ", &["`0`", "nonzero"]);
    refused("\nnode = 0 ", "\nnode = -1 ", "-1 ", &["`-1`", "u32"]);
    refused("cores_per_socket = 4", "cores_per_socket = 4.5", "4.5", &["4.5", "nonzero u32"]);
    refused("level = 3", "level = 5", "5   ", &["host[0].cache[0].level = 5", "1 to 4"]);
}

#[test]
fn a_name_that_is_not_the_folders_is_refused() {
    let before = "name = \"template\"\n# What a person would call the machine.";
    let after = "name = \"mine\"\n# kind follows";
    let text =
        TEMPLATE.replace(before, after).replace("kind = \"template\"", "kind = \"measured\"");
    let message = parse_template(&text).unwrap_err().to_string();
    assert!(message.contains("profile.name = \"mine\""), "{message}");
    assert!(message.contains("called \"template\": make them the same"), "{message}");
    assert!(parse(Path::new("profiles/mine/machine.toml"), &text).is_ok());
}

#[test]
fn a_profile_called_default_is_refused_with_the_reason() {
    let text = TEMPLATE
        .replace("name = \"template\"", "name = \"default\"")
        .replace("kind = \"template\"", "kind = \"measured\"");
    let message = parse(Path::new("profiles/default/machine.toml"), &text).unwrap_err().to_string();
    assert!(message.contains("Snakemake would take profiles/default"), "{message}");
}

#[test]
fn only_the_template_is_a_template() {
    let allowed = "published, measured, emulated";
    refused("name = \"template\"", "name = \"mine\"", "\"template\"\n", &["profile.kind", allowed]);
    let fragments = ["profile.kind = measured", "only profiles/template"];
    refused("kind = \"template\"", "kind = \"measured\"", "\"measured\"", &fragments);
}

#[test]
fn a_fact_without_a_source_or_a_profile_without_a_host_is_refused() {
    let source = "source = \"nothing: every value is an example\"";
    refused(source, "source = \" \"", "\" \"", &["profile.source = \" \"", "where the facts are"]);
    let own = "source = \"Intel Memory Latency Checker\"";
    refused(
        own,
        "source = \"\"",
        "\"\"\n\n[[host",
        &["host[0].latency[0].source", "leave the field out"],
    );
    let title = "title = \"Example: two sockets, one card\"";
    refused(title, "title = \"\"", "\"\"", &["profile.title", "what the machine is"]);
    let start = TEMPLATE.find("[[host]]\nrole").unwrap();
    let no_host = format!("host = []\n{}", &TEMPLATE[..start]);
    let message = parse_template(&no_host).unwrap_err().to_string();
    assert!(message.starts_with(&format!("{PATH}:1:8: ")), "{message}");
    assert!(message.contains("at least one [[host]]"), "{message}");
}

#[test]
fn cpus_are_lists_of_the_kernel_and_each_on_one_node() {
    for list in ["0-", "3-0", "x", "0,,1", "0-4000000000", "70000", "+1", " 1"] {
        let at = format!("\"{list}\"");
        let after = format!("cpus = \"{list}\"");
        refused("cpus = \"0-3,8-11\"", &after, &at, &["host[0].node[0].cpus", "0-3,8"]);
    }
    let twice = ["host[0].node[1].cpus", "CPU 3 is already on node 0"];
    refused("\"4-7,12-15\"", "\"3,4-7,12-15\"", "\"3,4-7", &twice);
}

#[test]
fn counts_of_cpus_that_contradict_each_other_are_refused() {
    let counts = ["host[0].logical_cpus = 16", "make 24"];
    refused("cores_per_socket = 4", "cores_per_socket = 6", "16  ", &counts);
    refused("\"4-7,12-15\"", "\"4-7,12-14\"", "16  ", &["logical_cpus = 16", "nodes make 15"]);
}

#[test]
fn nodes_have_numbers_of_their_own_and_a_distance_to_each() {
    let before = "node = 1\ncpus = \"4-7,12-15\"";
    refused(before, "node = 0\ncpus = \"\"", "0\ncpus = \"\"", &["host[0].node[1].node = 0"]);
    let few = ["host[0].node[1].distances = [21]", "1 distances for 2 nodes"];
    refused("[21, 10]", "[21]", "[21]", &few);
    refused("[21, 10]", "[10, 21]", "[10, 21]\n\n#", &["10 from itself"]);
    refused("[21, 10]", "[256, 10]", "[256", &["11 to 254"]);
    refused("[21, 10]", "[21, 11]", "[21, 11]", &["node[1].distances = [21, 11]"]);
    refused("[21, 10]", "[10, 10]", "[10, 10]", &["11 to 254"]);
}

#[test]
fn what_is_on_a_node_is_on_one_that_the_host_has() {
    let card = "node = 1                                # of the host's";
    let away = "node = 2                                # of the host's";
    refused(card, away, "2                                # of", &["nic[0].node = 2", "0, 1"]);
    refused("memory_node = 0", "memory_node = 7", "7  ", &["latency[0].memory_node = 7", "0, 1"]);
    refused("cpu_node = 0", "cpu_node = 9", "9  ", &["latency[0].cpu_node = 9"]);
}

#[test]
fn pci_express_has_its_generations_and_widths() {
    let generation = ["nic[0].pcie_generation = 7", "1 to 6"];
    refused("pcie_generation = 3", "pcie_generation = 7", "7   ", &generation);
    refused(
        "pcie_lanes = 16",
        "pcie_lanes = 12",
        "12  ",
        &["pcie_lanes = 12", "1, 2, 4, 8, 16, 32"],
    );
}

#[test]
fn a_latency_is_a_duration_or_bounds_that_ascend() {
    refused("latency_ns = 80", "latency_ns = nan", "nan", &["latency_ns = NaN", "more than 0 ns"]);
    refused("latency_ns = 80", "latency_ns = 0", "0\nsource", &["latency_ns = 0"]);
    let bound = "latency_high_ns = 140\n";
    let at = "[[host.latency]]\nreach = \"numa-remote\"";
    refused(bound, "\n", at, &["host[0].latency[1].latency_ns = nothing"]);
    refused(bound, "latency_high_ns = 130\n", "130.5", &["[130.5, 130.0]", "must ascend"]);
    refused("latency_ns = 200 ", "latency_ns = -1 ", "-1 ", &["network.latency_ns = -1"]);
}

#[test]
fn a_file_that_is_not_there_is_told_with_its_path() {
    let error = read(Path::new("nowhere/machine.toml")).unwrap_err();
    assert_eq!(error.to_string(), "cannot read nowhere/machine.toml");
}

#[test]
fn what_cannot_be_told_stands_as_a_comment_below_its_table() {
    let profile = parse_template(TEMPLATE).unwrap();
    let untold = [
        Untold { table: "host.node", index: 1, why: "distances: none\nnode = 7".to_owned() },
        Untold { table: "software", index: 0, why: "kernel: hidden".to_owned() },
    ];
    let text = to_text(&profile, &untold);
    assert!(text.contains("[[host.node]]\n# distances: none node = 7\nnode = 1\n"), "{text}");
    assert!(text.contains("[software]\n# kernel: hidden\n"), "{text}");
    assert_eq!(text.matches('#').count(), 2);
    assert_eq!(parse_template(&text).unwrap(), profile);
}

proptest! {
    #[test]
    fn names_of_profiles_are_plain_names_of_directories(name in "[a-zA-Z0-9._/ -]{0,12}") {
        let stays = Path::new("profiles").join(&name).parent() == Some(Path::new("profiles"));
        match name.parse::<ProfileName>() {
            Ok(parsed) => {
                prop_assert!(stays && !name.starts_with('.') && !name.contains(' '));
                prop_assert_eq!(parsed.as_str(), &name);
            }
            Err(error) => prop_assert!(error.to_string().contains(&name) || !stays),
        }
    }

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(cut in 0..TEMPLATE.len(), other in ".{0,8}") {
        prop_assume!(TEMPLATE.is_char_boundary(cut));
        let _ = parse_template(&format!("{}{other}{}", &TEMPLATE[..cut], &TEMPLATE[cut..]));
    }
}
