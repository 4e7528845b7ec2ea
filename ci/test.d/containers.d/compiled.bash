# shellcheck shell=bash disable=SC2154 # ci/test.d/containers sets
# The image built from sources alone: its program is compiled in it.

test_compiled() { deep_part ci/test.d/containers.d/compiled.deep compile_in_image; }

compile_in_image() {
    choose_engine || return 0
    compiled=localhost/onesided-harness:compiled
    choose_base
    if ! timed compiling 'in the image' build_compiled compiled; then
        fail 'the image compiles its program' "$(tail -n 20 "$out/compiled.log")"
        return
    fi
    pass 'the image compiles its program'
    if [[ $engine == docker ]]; then buildah push --quiet "$compiled" "docker-daemon:$compiled"; fi
    check 'the compiled image has at most 40 MB' within_bytes "$compiled" 40000000
    check 'the compiled program runs' in_image run "$compiled" --version
    check 'the compiled program is of this commit' is_of_revision "$compiled" "$ONESIDED_REVISION"
    check 'the compiled image is clean' clean "$compiled"
    check 'the compiled image is minimal' minimal "$compiled"
    check 'another commit with the same sources compiles nothing' other_commit
    check 'built again the compiled image has the same id' same_id
}

# The pinned base, where it can be had. Sets $from.
choose_base() {
    local pinned
    pinned=$(sed -n 's/^ARG BASE=//p' containers/Containerfile)
    from=()
    if timeout "$(patience 60)" buildah pull --quiet "$pinned" >"$out/pull.log" 2>&1; then
        pass 'the images are built from the pinned base'
    else
        skip 'the images are built from the pinned base' "it cannot be pulled ($(tail -n 1 "$out/pull.log" | cut -c1-120))"
        from=(--base-from-packages)
    fi
}

# build_compiled TAG OPTION...: leaves the image's line in $out/TAG, the engine's words in $out/TAG.log.
build_compiled() {
    local tag=$1
    shift
    containers/build --engine buildah "${from[@]}" --tag "$tag" --log "$out/$tag.log" "$@" harness >"$out/$tag" 2>"$out/$tag.said" ||
        { cat "$out/$tag.said" >>"$out/$tag.log"; return 1; }
}

# The step that compiles is found in the cache; the program is another one all the same.
other_commit() {
    ONESIDED_REVISION=0123456789ab build_compiled other || { tail -n 20 "$out/other.log"; return 1; }
    if ! grep -A 1 'RUN cargo build' "$out/other.log" | grep -q 'Using cache'; then
        echo 'it was compiled again:'
        grep -A 2 'RUN cargo build' "$out/other.log"
        return 1
    fi
    if [[ $engine == docker ]]; then buildah push --quiet localhost/onesided-harness:other docker-daemon:localhost/onesided-harness:other; fi
    is_of_revision localhost/onesided-harness:other 0123456789ab
}

# All steps but the program's: their packages come anew, the clock is pinned.
same_id() {
    build_compiled compiled || return
    build_compiled again --again || { tail -n 20 "$out/again.log"; return 1; }
    cat "$out"/{compiled,again}
    [[ $(awk '{ print $2 }' "$out/compiled") == "$(awk '{ print $2 }' "$out/again")" ]]
}
