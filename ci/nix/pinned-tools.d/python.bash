# shellcheck shell=bash disable=SC2034,SC2154 # ci/nix/pinned-tools sets and reads
# A Python environment as ci/install makes one for the workflow, with the versions of the pin.

# Sets `python` to the environment's folder, and makes it; or sets `lacking` to why it cannot be had.
make_python() {
    local ours=ci/nix/pinned-tools.d/requirements.txt all=workflow/requirements.txt log
    python=$cache/pinned-python-$(cat "$ours" "$all" ci/nix/pinned-tools.d/python.bash | sha256sum | head -c 12)
    [[ ! -e $python/made ]] || return 0
    rm -rf "$python"
    mkdir -p "$python"
    log=$python/log
    if { python3 -m venv "$python" && others "$ours" "$all" >"$python/others.txt" &&
        "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
            --requirement "$python/others.txt" --requirement "$ours" &&
        "$python/bin/pip" check --quiet --disable-pip-version-check; } >"$log" 2>&1; then
        touch "$python/made"
    else
        lacking="the Python packages could not be had: $(tail -n 1 "$log")"
        return 1
    fi
}

# others OURS ALL: the requirements in ALL that are not in OURS. Without what draws the explorer, which
# is of the same version there and big.
others() {
    awk '
        /^[^ #]/ { name = tolower($1); sub(/==.*/, "", name) }
        NR == FNR { ours[name]; next }
        /^#/ || name in ours || name == "vl-convert-python" { next }
        { print }
    ' "$1" "$2"
}
