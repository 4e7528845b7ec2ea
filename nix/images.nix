# OCI images, layered by store path, with the clock at 1970: `nix build .#harness-image &&
# ./result | podman load` (or docker load). The same inputs give the same bytes.
# Those of containers/Containerfile are for hosts without Nix. Here the analysis lays the study out
# in the working directory, /results/onesided, and works there, as `nix run .#report` does.
{
  lib,
  pkgs,
  version,
  revision,
  onesided,
  report,
}:
let
  # Nobody, with a home that is gone when the container is.
  user = "65534:65534";
  labels = title: {
    "org.opencontainers.image.title" = title;
    "org.opencontainers.image.version" = version;
    "org.opencontainers.image.revision" = revision;
    "org.opencontainers.image.licenses" = "MIT";
  };
  image =
    title: arguments:
    pkgs.dockerTools.streamLayeredImage (
      {
        name = "onesided/${title}";
        tag = version;
        # Nobody can write elsewhere; R and Python want a place for temporary files.
        fakeRootCommands = "mkdir -p -m 1777 ./tmp ./results";
      }
      // arguments
      // {
        config = {
          User = user;
          WorkingDir = "/results";
          Labels = labels "onesided ${title}";
        }
        // arguments.config;
      }
    );
in
{
  harness-image = image "harness" {
    contents = [ onesided ];
    config = {
      Entrypoint = [ (lib.getExe onesided) ];
      Cmd = [ "--help" ];
    };
  };

  analysis-image = image "analysis" {
    contents = [
      onesided
      pkgs.bashInteractive
      pkgs.coreutils
      # The study's scripts begin with it.
      pkgs.dockerTools.usrBinEnv
    ];
    config = {
      Entrypoint = [ report.program ];
      Env = [ "HOME=/tmp" ];
      Volumes."/results" = { };
    };
  };
}
