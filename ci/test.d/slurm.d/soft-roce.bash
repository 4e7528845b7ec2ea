# shellcheck shell=bash disable=SC2154 # the stage sets $place, $here and $onesided
# One job on two machines of the lab: sets up what they see, and boots them.
. ci/lab.d/root.bash
. ci/lab.d/prepare.bash
. "$here/packages.bash"

skip_soft_roce() {
    local name
    while read -r name; do skip "$name" "$1"; done <"$here/soft-roce.checks"
}

over_soft_roce() {
    local cache=${ONESIDED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/onesided} files=$place/files packages
    if ! ci/lab --quiet --prepare 2>"$place/lab.log"; then
        skip_soft_roce "the lab cannot be prepared: $(tail -n 1 "$place/lab.log")"
        return
    fi
    if ! packages=$(slurm_prepare "$cache" "$(lab_recipe_directory ci/lab.d "$cache")/root" 2>"$place/packages.log"); then
        skip_soft_roce "the distribution's packages of Slurm cannot be had: $(tail -n 1 "$place/packages.log")"
        return
    fi
    mkdir "$files"
    cp "$onesided" "$files/onesided"
    cp "$here"/{cluster,jobs}.bash "$here/machine" ci/{tally,pace}.bash ci/test.d/faults.d/interrupted.toml "$files"
    head -c 128 /dev/urandom >"$files/key"
    cp -r --parents workflow/scripts/measure workflow/launch "$files"
    ONESIDED_STEP='a job of two machines' ci/lab --quiet --hosts 2 --nodes 1 --cpus-per-node 2 --timeout "$(patience 900)" --files "$files" --files "$packages" \
        --out "$place/lab" --peer "'$files/machine' '$packages'" \
        -- "$files/machine" "$packages" | tee "$place/session.log"
    add_count_of 'over Soft-RoCE, the session' "$place/session.log"
    [[ $(tail -n 1 "$place/session.log") == *' 0 failed'* ]] || tail -n 30 "$place"/lab/*.{stderr,stdout} "$place"/lab/*.log
}
