# The options of NixOS that nix/ sets, by name and type, as the manual of NixOS has them. Where NixOS
# takes any name (a kernel's variable, the attributes of a limit), those that ours use.
let
  types = import ./types.nix;
  inherit (types)
    attrsOf
    bool
    enum
    listOf
    nullOr
    package
    port
    record
    str
    ;
  option = type: {
    isOption = true;
    inherit type;
  };
in
{
  boot.kernel.sysctl = option (record "boot.kernel.sysctl" { "kernel.numa_balancing" = types.int; });
  boot.kernelParams = option (listOf str);
  environment.systemPackages = option (listOf package);
  networking.firewall.allowedTCPPorts = option (listOf port);
  networking.firewall.allowedUDPPorts = option (listOf port);
  networking.rxe.enable = option bool;
  networking.rxe.interfaces = option (listOf str);
  powerManagement.cpuFreqGovernor = option (nullOr str);
  security.pam.loginLimits = option (
    listOf (
      record "security.pam.loginLimits" {
        domain = str;
        type = enum [
          "-"
          "hard"
          "soft"
        ];
        item = enum [ "memlock" ];
        value = types.either str types.int;
      }
    )
  );
  services.udev.extraRules = option str;
  users.groups = option (attrsOf (record "users.groups" { }));
  virtualisation.cores = option types.ints.positive;
  virtualisation.memorySize = option types.ints.positive;
  virtualisation.qemu.options = option (listOf str);
}
