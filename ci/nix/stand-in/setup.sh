# shellcheck shell=bash disable=SC2154 # hostPath and out are the derivation's
# The phases of a build, over this host's tools. Sourced by builder.sh and by `nix develop`.
PATH=$hostPath
for input in ${nativeBuildInputs:-} ${buildInputs:-}; do
    if [[ -d $input/bin ]]; then PATH=$input/bin:$PATH; fi
done
export PATH SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800}

# A hook is a function, or a variable with text.
runHook() {
    if declare -F "$1" >/dev/null; then "$1"; elif [[ -n ${!1:-} ]]; then eval "${!1}"; fi
}

# nixpkgs' rewrites /usr/bin/env in scripts; the host has one.
patchShebangs() { :; }

unpackPhase() {
    if [[ -z ${src:-} ]]; then return; fi
    cp -r "$src" source
    chmod -R u+w source
    cd "${sourceRoot:-source}" || exit
}

genericBuild() {
    local phase
    if [[ -n ${buildCommand:-} ]]; then eval "$buildCommand"; return; fi
    for phase in unpackPhase configurePhase buildPhase checkPhase installPhase fixupPhase; do
        if [[ $phase == checkPhase && ${doCheck:-} != 1 ]]; then continue; fi
        echo "phase: $phase"
        if [[ -n ${!phase:-} ]]; then eval "${!phase}"; elif declare -F "$phase" >/dev/null; then "$phase"; fi
    done
    runHook postFixup
}
