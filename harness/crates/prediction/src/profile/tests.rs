use super::*;

/// A complete profile, with lines of its own behind.
fn read(
    change: impl Fn(&str) -> Option<String>,
    behind: &str,
) -> Result<SimulationProfile, String> {
    let mut text = String::new();
    for field in Field::ALL {
        let value = change(field.name).unwrap_or_else(|| format!("{:?}", field.least));
        if value.is_empty() {
            continue;
        }
        text += &format!(
            "[[parameter]]\nname = \"{}\"\nvalue = {value}\nsource = \"test\"\n\n",
            field.name
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    std::fs::write(&path, text + behind).unwrap();
    read_profile(&path).map_err(|error| {
        let mut told = error.to_string();
        if let Some(source) = std::error::Error::source(&error) {
            told += &format!(": {source}");
        }
        told
    })
}

fn unchanged(_: &str) -> Option<String> {
    None
}

#[test]
fn a_complete_profile_is_read_and_written_as_it_is() {
    let set_up = "[[set-up]]\nname = \"b\"\ncode_generation = \"v2\"\ncampaign = \"b\"\n\
                  [[set-up.parameter]]\nname = \"one_way_ns\"\nvalue = 7.5\nfree = true\nsource = \"x\"\n";
    let profile = read(unchanged, set_up).unwrap();
    assert_eq!(profile.parameters(None).one_way_ns, 0.0);
    assert_eq!(profile.parameters(Some(0)).one_way_ns, 7.5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    std::fs::write(&path, profile.to_text()).unwrap();
    assert_eq!(read_profile(&path).unwrap(), profile);
}

#[test]
fn a_profile_of_another_version_is_refused_with_what_to_do() {
    let read = |version: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        // Of a newer one, whatever else is in it.
        std::fs::write(&path, format!("schema_version = {version}\nnews = 1\n")).unwrap();
        read_profile(&path).unwrap_err().to_string()
    };
    let told = "simulation.toml:1:18: schema_version = 2, this program reads version 1: ";
    assert!(read("2").contains(told), "{}", read("2"));
    assert!(read("2").ends_with("the file is of a newer program: use that one"), "{}", read("2"));
    assert!(read("0").ends_with("then write schema_version = 1"), "{}", read("0"));
}

#[test]
fn committed_profiles_are_read_and_written_to_the_byte_as_a_fit_writes_them() {
    for name in ["nurdma-apt", "nurdma-cx3", "nurdma-cx4"] {
        let path = format!("{}/../../../profiles/{name}/{FILE}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(read_profile(Path::new(&path)).unwrap().to_text(), text, "{name}");
    }
}

#[test]
fn what_is_lacking_negative_absurd_unknown_or_double_is_refused_by_name() {
    let lacking = |name: &str| (name == "poll_ns").then(String::new);
    let told = read(lacking, "").unwrap_err();
    assert!(told.contains("simulation.toml: the parameters poll_ns are lacking"), "{told}");
    let negative = |name: &str| (name == "poll_ns").then(|| "-3.0".to_owned());
    assert!(read(negative, "").unwrap_err().ends_with("poll_ns = -3 is not within 0 and 100000"));
    let absurd = |name: &str| (name == "link_ns_per_byte").then(|| "1e9".to_owned());
    assert!(read(absurd, "").unwrap_err().contains("link_ns_per_byte = 1000000000"));
    let block =
        |name: &str| format!("[[parameter]]\nname = \"{name}\"\nvalue = 1.0\nsource = \"x\"\n");
    assert!(read(unchanged, &block("speed")).unwrap_err().contains("no parameter `speed`"));
    assert!(read(unchanged, &block("poll_ns")).unwrap_err().ends_with("poll_ns is given twice"));
}

#[test]
fn values_without_a_source_or_outside_their_interval_and_set_ups_of_one_name_are_refused() {
    let with = |lines: &str| {
        let lacking = |name: &str| (name == "poll_ns").then(String::new);
        let block = format!("[[parameter]]\nname = \"poll_ns\"\nvalue = 5.0\n{lines}\n");
        read(lacking, &block)
    };
    assert!(with("source = \"x\"\nlow = 5.0\nhigh = 6.0").is_ok());
    assert!(
        with("source = \" \"")
            .unwrap_err()
            .ends_with("poll_ns: it has no source: say where the value comes from")
    );
    for interval in ["low = 6.0\nhigh = 7.0", "low = 1.0\nhigh = 2.0", "low = 6.0\nhigh = 4.0"] {
        let told = with(&format!("source = \"x\"\n{interval}")).unwrap_err();
        assert!(told.ends_with("poll_ns: its value is not within low and high"), "{told}");
    }
    let set_up = "[[set-up]]\nname = \"b\"\ncode_generation = \"v2\"\nparameter = []\n";
    assert!(read(unchanged, set_up).is_ok());
    assert!(read(unchanged, &set_up.repeat(2)).unwrap_err().ends_with("b is given twice"));
}

#[test]
fn a_typing_error_is_told_with_its_line() {
    let told = read(unchanged, "[[parameter]]\nname = \"poll_ns\"\nvalue = fast\n").unwrap_err();
    let line = 5 * Field::ALL.len() + 3;
    assert!(told.contains(&format!("simulation.toml:{line}:")), "{told}");
    let told = read(unchanged, "[[parameter]]\nnam = \"poll_ns\"\n").unwrap_err();
    assert!(told.contains("unknown field `nam`"), "{told}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let told = read_profile(Path::new("profiles/nobody/simulation.toml")).unwrap_err().to_string();
    assert_eq!(
        told,
        "cannot read profiles/nobody/simulation.toml; a machine that is to be simulated needs one"
    );
}

#[test]
fn a_fit_leaves_four_digits_and_no_interval_that_says_nothing() {
    let mut profile = read(unchanged, "").unwrap();
    for (name, low, high) in [("poll_ns", 100.0, 150.26), ("one_way_ns", 1.0, 20.0)] {
        let stated = profile.parameters.iter_mut().find(|stated| stated.name == name).unwrap();
        (stated.value, stated.low, stated.high, stated.free) =
            (123.456, Some(low), Some(high), true);
    }
    let fit = FitOf { ddio: Ddio::Default, conditions: 3, held_out: "those".to_owned() };
    profile.attribute_fitted(fit, "these runs");
    let of = |name: &str| {
        let stated = profile.parameters.iter().find(|stated| stated.name == name).unwrap();
        (stated.value, stated.low, stated.high, stated.source.as_str())
    };
    assert_eq!(of("poll_ns"), (123.5, Some(100.0), Some(150.3), "these runs"));
    assert_eq!(of("one_way_ns"), (123.5, None, None, "these runs"));
    assert_eq!(of("doorbell_ns").3, "test");
}

#[test]
fn a_condition_is_of_the_first_set_up_that_fits() {
    use onesided_results::{
        row::ConditionRow,
        vocabulary::{Campaign, CodeGeneration},
    };
    let set_up = |name: &str, generation: &str, campaign: &str| {
        format!("[[set-up]]\nname = \"{name}\"\ncode_generation = \"{generation}\"\n{campaign}")
    };
    let set_ups = set_up("first", "v1", "")
        + &set_up("a", "v2", "campaign = \"a\"\n")
        + &set_up("rest", "v2", "");
    let profile = read(unchanged, &set_ups).unwrap();
    let of = |generation, campaign| {
        let code_generation = Some(generation);
        let condition = ConditionRow { code_generation, campaign, ..crate::standing::any() };
        let found = profile.set_up_of(&condition).unwrap();
        found.map(|at| profile.set_ups[at].name.as_str())
    };
    // A set-up without a campaign is of any that none before it names.
    assert_eq!(of(CodeGeneration::V1, Some(Campaign::A)), Some("first"));
    assert_eq!(of(CodeGeneration::V1, None), Some("first"));
    assert_eq!(of(CodeGeneration::V2, Some(Campaign::A)), Some("a"));
    assert_eq!(of(CodeGeneration::V2, Some(Campaign::B)), Some("rest"));
    assert_eq!(of(CodeGeneration::V2, None), Some("rest"));
}
