# shellcheck shell=bash
# Nix without an installation: no daemon, no users of its own, a private store, no network, and a
# build's sandbox that sees this host's tools.
#
# environment: ONESIDED_NIX  another nix than the one in PATH
#              ONESIDED_NIX_SANDBOX  false where a host refuses namespaces; the log says so

# shellcheck disable=SC2034 # NIXFMT_VERSION: ci/install
NIXFMT_VERSION=0.5.3

nix_settings() {
    local root=$1 environment toolchain recipe seen
    nix_sandbox=${ONESIDED_NIX_SANDBOX:-true}
    toolchain=$(rustup which rustc 2>/dev/null || command -v rustc)
    environment=$(ci/workflow --environment)
    # Where the sandbox shows this host's tools, read-only or not its own. Not the whole cache: the
    # store of a test lies in it, and a path that is shown hides what a build puts there.
    seen=(/usr /bin /sbin /lib /lib64 /etc/alternatives /etc/R /etc/ssl
        "${toolchain%/bin/rustc}" "${CARGO_HOME:-$HOME/.cargo}/registry" "$(nix_tools)" "$environment"
        "$(nix_python "$environment")")
    while IFS= read -r recipe; do seen+=("$recipe"); done < <(find "$(nix_cache)" -maxdepth 1 -type d -name 'lab-*')
    export NIX_STORE_DIR=$root/store NIX_STATE_DIR=$root/var NIX_LOCALSTATE_DIR=$root/var \
        NIX_LOG_DIR=$root/log XDG_CACHE_HOME=$root/cache XDG_CONFIG_HOME=$root/config
    export NIX_CONFIG="experimental-features = nix-command flakes
build-users-group =
substitute = false
substituters =
use-registries = false
flake-registry =
warn-dirty = false
max-jobs = 2
sandbox = $nix_sandbox
sandbox-fallback = false
sandbox-paths = ${seen[*]}"
    mkdir -p "$root"/{config,cache}
}

# Where the environment's Python really is, when that is not below /usr.
nix_python() {
    local python
    python=$(readlink -f "$1/bin/python3")
    if [[ $python != /usr/* ]]; then dirname "$(dirname "$python")"; fi
}

nix_cache() { echo "${ONESIDED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/onesided}"; }

# Where ci/install puts the formatter of Nix code.
nix_tools() { echo "$(nix_cache)/nixfmt-$NIXFMT_VERSION"; }

# Sets this shell up for Nix with its store in FOLDER/nix, and writes the stand-in to
# FOLDER/stand-in. Fetches what cargo must have for the builds, which have no network.
nix_stand_in() {
    local environment
    # Nix looks at XDG_CACHE_HOME too: what ci/install made stays where it is.
    ONESIDED_CACHE=$(nix_cache)
    export ONESIDED_CACHE
    environment=$(ci/workflow --environment)
    STAND_IN_PATH=$environment/bin:$(nix_tools)/bin ci/nix/stand-in/compose "$1/stand-in"
    cargo fetch --quiet --locked --manifest-path harness/Cargo.toml
    nix_settings "$1/nix"
}
