# Two machines with Soft-RoCE and two NUMA nodes each: the conformance suite on both and across
# them, then every kind of operation from one to the other through the program itself.
{
  lib,
  pkgs,
  packages,
  version,
}:
let
  machine = {
    imports = [ ./measuring-host.nix ];
    onesided.measuring = {
      enable = true;
      softRoceInterfaces = [ "eth1" ];
      hugePagesPerNode = 16;
    };
    networking.firewall.allowedTCPPorts = [
      18515
      18600
    ];
    environment.systemPackages = [
      packages.onesided
      packages.conformance
      pkgs.rdma-core
      pkgs.numactl
    ];
    virtualisation = {
      cores = 4;
      memorySize = 2048;
      qemu.options = [
        "-object memory-backend-ram,id=memory0,size=1024M"
        "-object memory-backend-ram,id=memory1,size=1024M"
        "-numa node,nodeid=0,cpus=0-1,memdev=memory0"
        "-numa node,nodeid=1,cpus=2-3,memdev=memory1"
        "-numa dist,src=0,dst=1,val=21"
      ];
    };
  };
  operations = [
    "read"
    "write"
    "mixed"
    "compare-and-swap"
    "fetch-and-add"
  ];
in
pkgs.testers.runNixOSTest {
  name = "onesided-soft-roce";
  nodes = {
    client = machine;
    server = machine;
  };
  testScript = ''
    start_all()
    for machine in (client, server):
        machine.wait_for_unit("multi-user.target")
        machine.wait_until_succeeds("rdma link show | grep -q 'rxe_eth1.*ACTIVE'")
        machine.succeed("numactl --hardware | grep -q 'available: 2 nodes'")
        machine.succeed("ONESIDED_REQUIRE_DEVICE=1 ONESIDED_DEVICE=rxe_eth1 onesided-conformance >&2")

    server.succeed(
        "systemd-run --unit conformance --setenv ONESIDED_DEVICE=rxe_eth1 "
        "--property LimitMEMLOCK=infinity -- onesided-conformance --listen 0.0.0.0:18600"
    )
    server.wait_for_open_port(18600)
    client.succeed("ONESIDED_DEVICE=rxe_eth1 onesided-conformance --peer server:18600 >&2")

    server.succeed(
        "systemd-run --unit onesided --setenv ONESIDED_TOKEN=${
          lib.concatStrings (lib.genList (_: "7a") 32)
        } "
        "--property LimitMEMLOCK=infinity -- onesided serve --device rxe_eth1 --device-node 1 --listen 0.0.0.0:18515"
    )
    server.wait_for_open_port(18515)
    run = (
        "ONESIDED_TOKEN=${
          lib.concatStrings (lib.genList (_: "7a") 32)
        } onesided run --server server:18515 "
        "--device rxe_eth1 --device-node 1 --profile nixos-vm --out /tmp/raw "
    )
    for operation in ("${lib.concatStringsSep ''", "'' operations}"):
        for node in ("rdma-local", "rdma-remote"):
            client.succeed(run + f"--operation {operation} --queue-pairs 2 --server-region {node}")
    client.succeed("onesided check /tmp/raw/*/*/*")
    assert "${version}" in client.succeed("onesided --version")
  '';
}
