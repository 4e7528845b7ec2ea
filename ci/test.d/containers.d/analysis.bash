# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# The analysis image, which is five times as large as the other one: figures and verdicts of the stored
# tables, in it without a network and on this host. A plain run has neither built it nor run it: the
# stages figures and report draw with the same packages, which both take from the same lists.

test_analysis() {
    check 'the analysis image gets each package of R that the figures load' has_what_figures_load
    deep_part ci/test.d/containers.d/analysis.deep play_analysis
}

# What the scripts name, against the list that the image is made of, without what the Containerfile
# leaves out of it. Packages of R itself are not in that list.
has_what_figures_load() {
    local package listed missing=''
    listed=$(grep -vFf <(grep -o 'r-cran-[a-z.]*' containers/Containerfile) ci/install.d/figures)
    while read -r package; do
        [[ ! " base compiler grDevices graphics grid methods parallel stats tools utils " == *" $package "* ]] || continue
        grep -qE "^r-cran-${package,,} |brings $package$" <<<"$listed" || missing+=" $package"
    done < <(grep -hoE '\<library\([A-Za-z0-9.]+\)|\<[A-Za-z0-9.]+::' figures/draw figures/*.R figures/lib/*.R |
        sed -E 's/^library\(//; s/(\)|::)$//' | sort -u)
    echo "not in the image:$missing"
    [[ -z $missing ]]
}

play_analysis() {
    built analysis || return 0
    choose_engine || return 0
    hand_over "$analysis"
    common "$analysis"
    echo "   $analysis has $(in_image bytes "$analysis") bytes"
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
