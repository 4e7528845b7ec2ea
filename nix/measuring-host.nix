# NixOS module: a host that measures one-sided RDMA, or, with Soft-RoCE, that tries the harness.
#
#   imports = [ onesided.nixosModules.measuring-host ];
#   onesided.measuring = { enable = true; hugePagesPerNode = 512; governor = "performance"; };
#
# What it changes, all of it told by `onesided doctor`: it costs energy, takes memory away from
# everybody else, and lets the users of a group lock memory. Not for a host that others use.
{
  config,
  lib,
  ...
}:
let
  settings = config.onesided.measuring;
in
{
  options.onesided.measuring = {
    enable = lib.mkEnableOption "the settings of a host that measures one-sided RDMA";
    group = lib.mkOption {
      type = lib.types.str;
      default = "rdma";
      description = "Users of this group open RDMA devices and lock memory without limit.";
    };
    hugePagesPerNode = lib.mkOption {
      type = lib.types.ints.unsigned;
      default = 0;
      description = "2 MiB pages set aside on each of the first two NUMA nodes at boot.";
    };
    governor = lib.mkOption {
      type = lib.types.nullOr lib.types.str;
      default = null;
      example = "performance";
      description = "Frequency governor; null leaves it alone.";
    };
    softRoceInterfaces = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ ];
      example = [ "eth1" ];
      description = "Network interfaces that get an emulated RDMA device: function, never performance.";
    };
  };

  config = lib.mkIf settings.enable {
    users.groups.${settings.group} = { };
    services.udev.extraRules = ''
      SUBSYSTEM=="infiniband_verbs", GROUP="${settings.group}", MODE="0660"
    '';
    security.pam.loginLimits = [
      {
        domain = "@${settings.group}";
        type = "-";
        item = "memlock";
        value = "unlimited";
      }
    ];
    # The kernel would move the pages whose place is the question.
    boot.kernel.sysctl."kernel.numa_balancing" = 0;
    boot.kernelParams = lib.optional (
      settings.hugePagesPerNode > 0
    ) "hugepages=0:${toString settings.hugePagesPerNode},1:${toString settings.hugePagesPerNode}";
    powerManagement.cpuFreqGovernor = lib.mkIf (settings.governor != null) settings.governor;

    networking.rxe = lib.mkIf (settings.softRoceInterfaces != [ ]) {
      enable = true;
      interfaces = settings.softRoceInterfaces;
    };
    # RoCE v2.
    networking.firewall.allowedUDPPorts = lib.optional (settings.softRoceInterfaces != [ ]) 4791;
  };
}
