use onesided_placement::{Engine, Identity};

use super::{super::Weight, *};

const FILE: &str = "/dev/infiniband/uverbs0";
const EACCES: i32 = 13;

fn container(users: Users, confinement: Confinement) -> Container {
    let identity = Identity { user: 1000, groups: vec![1000], capabilities: 0 };
    Container { engine: Engine::Podman, users, confinement, identity }
}

fn advice(users: Users, confinement: Confinement, kind: i32, mode: u32, mounts: &str) -> String {
    let refusal = Refusal { kind: Some(kind), access: Some((mode, 0, 104)) };
    denied(&container(users, confinement), Path::new(FILE), &refusal, mounts)
}

#[test]
fn a_refusal_by_the_device_control_group_asks_for_the_device() {
    let told = advice(Users::OfHost, Confinement::None, EPERM, 0o20666, "");
    assert!(told.contains("`--device /dev/infiniband`"), "{told}");
}

#[test]
fn a_mode_that_forbids_asks_for_the_group_by_the_way_that_the_engine_has() {
    let told = advice(Users::OfHost, Confinement::None, EACCES, 0o20660, "");
    assert!(told.contains("mode 0660") && told.contains("`--group-add 104`"), "{told}");
    let told = advice(Users::Mapped, Confinement::None, EACCES, 0o20660, "");
    assert!(told.contains("`--group-add keep-groups`"), "{told}");
}

#[test]
fn a_mode_that_allows_leaves_security_modules_and_mounts() {
    let context = Confinement::SeLinux("system_u:system_r:container_t:s0".to_owned());
    let told = advice(Users::OfHost, context, EACCES, 0o20666, "");
    assert!(told.contains("`--security-opt label=disable`"), "{told}");
    let profile = Confinement::AppArmor("docker-default".to_owned());
    let told = advice(Users::OfHost, profile, EACCES, 0o20666, "");
    assert!(told.contains("docker-default"), "{told}");
    assert!(told.contains("`--security-opt apparmor=unconfined`"), "{told}");
    let mounts = "22 1 0:20 / / rw - overlay o rw\n\
        23 22 0:21 / /dev rw,nosuid - tmpfs t rw\n\
        24 23 0:22 / /dev/infiniband rw,nosuid,nodev - tmpfs t rw\n";
    let told = advice(Users::OfHost, Confinement::None, EACCES, 0o20666, mounts);
    assert!(told.contains("nodev") && told.contains("`--device /dev/infiniband`"), "{told}");
    let told = advice(Users::OfHost, Confinement::None, EACCES, 0o20666, "");
    assert!(told.contains("`--security-opt label=disable`"), "{told}");
}

#[test]
fn the_innermost_mount_decides_whether_devices_are_taken() {
    let mounts = "22 1 0:20 / / rw,nodev - ext4 e rw\n23 22 0:21 / /dev rw - tmpfs t rw\n";
    assert!(!without_devices(Path::new(FILE), mounts));
    assert!(without_devices(Path::new("/srv/uverbs0"), mounts));
}

#[test]
fn locked_memory_of_a_rootless_container_is_bounded_by_its_user() {
    let advice = |users| locked_memory(&container(users, Confinement::None), 65536).unwrap().advice;
    assert!(advice(Users::OfHost).unwrap().starts_with("`--ulimit memlock=-1:-1`"));
    let rootless = advice(Users::Mapped).unwrap();
    assert!(rootless.contains("/etc/security/limits.conf"), "{rootless}");
    let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
        Max locked memory         65536                8388608              bytes     \n";
    assert_eq!(hard_limit(limits), "8388608 bytes");
    assert_eq!(hard_limit("Max locked memory   unlimited  unlimited  bytes"), "unlimited");
    assert_eq!(hard_limit(""), "an unknown limit");
}

#[test]
fn a_limit_does_not_apply_to_a_process_with_the_capability() {
    let mut root = container(Users::OfHost, Confinement::None);
    root.identity.capabilities = 1 << 14;
    assert!(locked_memory(&root, 65536).is_none());
}

#[test]
fn calls_that_place_memory_stop_a_run_and_the_one_that_proves_it_is_a_doubt() {
    assert_eq!(refused_calls(&[]).weight, Weight::Fine);
    let both = refused_calls(&["mbind", "move_pages"]);
    assert_eq!(both.weight, Weight::Stop);
    assert!(both.found.ends_with("mbind, move_pages"));
    assert!(both.advice.unwrap().contains("seccomp=containers/seccomp.json"));
    let proof = refused_calls(&["move_pages"]);
    assert_eq!(proof.weight, Weight::Doubt);
    assert!(proof.advice.unwrap().contains("seccomp=containers/seccomp.json"));
}

#[test]
fn a_place_for_results_is_asked_for_by_the_reason_that_there_is_none() {
    let tried = |kind| of_results(Path::new("/results"), Err(io::Error::from(kind)));
    let read_only = tried(ErrorKind::ReadOnlyFilesystem);
    assert_eq!(read_only.weight, Weight::Stop);
    assert!(read_only.advice.unwrap().contains("`--tmpfs /results`"));
    let foreign = tried(ErrorKind::PermissionDenied).advice.unwrap();
    assert!(foreign.contains("`--volume FOLDER:/results:Z`"), "{foreign}");
    assert_eq!(of_results(Path::new("/results"), Ok(())).weight, Weight::Fine);
}

#[test]
fn asking_for_a_place_for_results_leaves_nothing() {
    let before = fs::read_dir(".").unwrap().count();
    assert_eq!(results().weight, Weight::Fine);
    assert_eq!(fs::read_dir(".").unwrap().count(), before);
}
