use super::*;

const ROOTFUL: &str = "         0          0 4294967295\n";
const ROOTLESS: &str = "         0       1000          1\n         1     100000      65536\n";
const STATUS: &str = "Name:\tonesided\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n\
    Groups:\t44 65534 \nCapEff:\t0000000000000000\n";

/// A root folder with some files, and what a process there finds.
fn detected(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Option<Container> {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    Container::detect_at(root.path(), |wanted| {
        let (_, value) = variables.iter().find(|(name, _)| *name == wanted)?;
        Some((*value).to_owned())
    })
}

fn engine_of(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Option<Engine> {
    detected(files, variables).map(|container| container.engine)
}

#[test]
fn engines_are_told_by_what_they_leave_and_a_host_is_no_container() {
    assert_eq!(engine_of(&[("proc/self/cgroup", "0::/user.slice/session-1.scope\n")], &[]), None);
    assert_eq!(engine_of(&[(".dockerenv", "")], &[]), Some(Engine::Docker));
    let docker = ("proc/self/cgroup", "4:memory:/docker/0123\n");
    assert_eq!(engine_of(&[docker], &[]), Some(Engine::Docker));
    assert_eq!(engine_of(&[("run/.containerenv", "")], &[]), Some(Engine::Podman));
    assert_eq!(engine_of(&[], &[("container", "podman")]), Some(Engine::Podman));
    assert_eq!(engine_of(&[], &[("container", "lxc")]), Some(Engine::Other));
    assert_eq!(engine_of(&[], &[("KUBERNETES_SERVICE_HOST", "10.0.0.1")]), Some(Engine::Other));
}

#[test]
fn a_rootless_container_has_mapped_users() {
    let of = |map| detected(&[(".dockerenv", ""), ("proc/self/uid_map", map)], &[]).unwrap().users;
    assert_eq!(of(ROOTFUL), Users::OfHost);
    assert_eq!(of(ROOTLESS), Users::Mapped);
}

#[test]
fn the_right_to_lock_memory_counts_for_the_hosts_own_users_only() {
    let with = |map, capabilities| {
        let status = STATUS.replace("0000000000000000", capabilities);
        let files = [(".dockerenv", ""), ("proc/self/uid_map", map), ("proc/self/status", &status)];
        detected(&files, &[]).unwrap().locks_without_limit()
    };
    assert!(with(ROOTFUL, "0000000000004000"));
    assert!(!with(ROOTFUL, "0000000000000000"));
    assert!(!with(ROOTLESS, "0000000000004000"));
}

#[test]
fn a_label_tells_which_module_confines() {
    let of = |label| {
        detected(&[(".dockerenv", ""), ("proc/self/attr/current", label)], &[]).unwrap().confinement
    };
    let context = "system_u:system_r:container_t:s0:c1,c2";
    assert_eq!(
        of("system_u:system_r:container_t:s0:c1,c2\0"),
        Confinement::SeLinux(context.into())
    );
    assert_eq!(of("docker-default (enforce)\n"), Confinement::AppArmor("docker-default".into()));
    assert_eq!(of("docker-default (complain)\n"), Confinement::None);
    assert_eq!(of("unconfined\n"), Confinement::None);
    assert_eq!(of(""), Confinement::None);
}

#[test]
fn a_mode_is_asked_for_owner_then_group_then_others() {
    let container = detected(&[(".dockerenv", ""), ("proc/self/status", STATUS)], &[]).unwrap();
    let me = container.identity;
    assert_eq!((me.user, me.groups.as_slice()), (1000, [1000, 44, 65534].as_slice()));
    assert!(me.may_use(0o666, 0, 0));
    assert!(!me.may_use(0o660, 0, 0));
    assert!(me.may_use(0o660, 0, 44));
    assert!(me.may_use(0o600, 1000, 0));
    assert!(!me.may_use(0o066, 1000, 44), "the owner's bits alone apply to the owner");
    assert!(!me.may_use(0o644, 0, 0), "reading alone does not do");
    assert!(Identity { capabilities: CAP_DAC_OVERRIDE, ..me }.may_use(0, 0, 0));
}
