# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# Figures and verdicts of the stored tables, in the image without a network and on this host.

test_analysis() {
    choose_engine || return 0
    local made=(results/figures/published/workers-poster.{pdf,svg,png} results/claims.csv) file
    mkdir -m 777 "$out/analysis"
    check 'figures and verdicts are made without a network, on a read-only root' \
        run_container --network none --read-only --tmpfs /tmp:mode=1777 --cap-drop ALL \
        --security-opt no-new-privileges --volume "$out/analysis:/results" "$analysis" "${made[@]}"
    check 'this host makes the same' host_makes "${made[@]}"
    for file in "${made[@]}"; do
        check "the image's $file has the bytes of this host's" \
            cmp "$out/analysis/${file#results/}" "$out/project/$file"
    done
    check 'without a place for results it says which flag' says_which_flag
}

# By the image's program, so that only what draws and what it runs on differ. In a copy of the tracked
# files: another stage may be making the project's own report meanwhile.
host_makes() {
    mkdir "$out/project" && git ls-files -z | xargs -0 cp --parents -t "$out/project" || return
    run_container --network none --entrypoint /bin/cat "$analysis" /usr/local/bin/onesided >"$out/program" &&
        chmod +x "$out/program" || return
    (cd "$out/project" && ci/workflow "$@" --config source=published "onesided=$out/program" --quiet)
}

says_which_flag() {
    local said status
    said=$(run_container --network none --read-only --tmpfs /tmp "$analysis" 2>&1)
    status=$?
    echo "exit $status: $said"
    [[ $status -eq 2 && $said == *'--volume FOLDER:/results'* ]]
}
