# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# The control channel: secrets, addresses, versions, nonsense. It is TCP on every back end.

# secret FILE TEXT: a token that only its owner can read.
secret() {
    (umask 077 && echo "$2" >"$1")
}

tokens() {
    secret "$work/other-token" 'another secret of enough length'
    run_with_token "$work/other-token"
    ended 'a wrong token is refused' 2 "$server_address" 'give both the same token'
    check 'the server tells of a wrong token' server_says 'refused: .*token'
    chmod 644 "$work/other-token"
    run_with_token "$work/other-token"
    ended 'a token that others can read is refused' 2 "$work/other-token" 'mode 0644' 'chmod 600'
    secret "$work/short-token" short
    run_with_token "$work/short-token"
    ended 'a token that can be guessed is refused' 2 "$work/short-token" '5 characters, 16 are needed'
    run_with_token "$work/nowhere"
    ended 'a token that is not there is named' 2 "$work/nowhere"
    still_serves 'after wrong tokens'
}

run_with_token() { attempt 20 "${client[@]/#"$token"/$1}" "${short[@]}"; }

# A client of another address.
run_at() { attempt 10 "${client[@]/#"$server_address"/$1}" "${@:2}"; }

addresses() {
    # Reserved for documentation (RFC 5737): no machine has it.
    local nobody=192.0.2.77
    attempt 10 "$onesided" serve "${back_end[@]}" --listen "$server_address" --token-file "$token"
    ended 'a port in use is refused' 2 "$server_address" 'in use' 'another port'
    attempt 10 "$onesided" serve "${back_end[@]}" --listen "$nobody:18515" --token-file "$token"
    ended 'an address of another machine is refused' 2 "$nobody:18515" 'ip address'
    run_at "${server_address%:*}:1" --wait-for-server 1s
    ended 'where nobody listens, it is said' 2 "${server_address%:*}:1" 'is the server running?'
    run_at "$nobody:18515" --wait-for-server 2s
    ended 'where no machine is, it is said' 2 "$nobody:18515"
    run_at nonsense
    ended 'an address without a port is refused' 2 '"nonsense"' host:port
}

# The bytes of a frame: length, kind (1: handshake) and body.
frame() {
    # shellcheck disable=SC2059 # the format is made here
    printf "$(printf '\\x%02x' 0 0 $((${#1} / 256)) $((${#1} % 256)) 1)"
    printf '%s' "$1"
}

# A client of a server that says what is on standard input, and no more. What it hears is in heard.
run_at_fake() {
    local fake address=$work/fake-address
    rm -f "$address"
    "$here/exchange" listen "$address" <&0 >"$work/heard" &
    fake=$!
    within 20 test -e "$address"
    run_at "$(<"$address")"
    kill "$fake" 2>/dev/null
    wait "$fake" 2>/dev/null
}

# send: what is on standard input to the server; prints its answer.
send() { timeout "$(patience 20)" "$here/exchange" "$server_address" | tr -d '\0'; }

other_programs() {
    run_at_fake < <(printf 'SSH-2.0-OpenSSH_9.2\r\n')
    ended 'a server of another kind is reported as such' 2 127.0.0.1: 'does the peer run onesided?'
    run_at_fake </dev/null
    ended 'a server that says nothing is given up' 2 127.0.0.1: 'greeting within 5s'
}

other_versions() {
    local hex=0123456789abcdef answer own
    hex=$hex$hex$hex$hex
    # The version of the control protocol here, as the server greets everybody with.
    own=$(send </dev/null | grep -aoP '"version":\K[0-9]+' | head -n 1)
    check 'a server greets with the version of its protocol' test -n "$own"
    run_at_fake < <(frame '{"protocol":"onesided-control","version":999,"harness":"9.9.9","nonce":"'"$hex"'"}')
    ended 'a server of another version is refused with both' 2 'version 999' "version $own " 9.9.9 'the same build'
    check 'and learns of ours' grep -q "\"version\":$own" "$work/heard"
    answer=$(frame '{"version":999,"harness":"9.9.9","nonce":"'"$hex"'","proof":"'"$hex"'"}' | send)
    check 'a client of another version is refused with both' \
        grep -q "version-mismatch.*\"server\":$own,\"client\":999" <<<"$answer"
    check 'the server tells of both versions' server_says "version $own .*version 999 .*9.9.9"
    still_serves 'after another version'
}

# refused_more_than N: the server has reported more refusals.
refused_more_than() { [[ $(order 'grep -c refused: "$server_log"') -gt $1 ]]; }

nonsense() {
    local -A messages=(
        [another protocol]='GET / HTTP/1.0\r\n\r\n'
        [an endless frame]='\xff\xff\xff\xff\x01{}'
        [an unknown kind]='\x00\x00\x00\x02\x63{}'
        [no JSON]='\x00\x00\x00\x04\x01nope'
        [a frame cut short]='\x00\x00\x00\x40\x01{"version":'
        [a header cut short]='\x00\x00'
        [a message before the proof]='\x00\x00\x00\x02\x02{}'
        [nothing]=''
    )
    local what before
    before=$(order 'grep -c refused: "$server_log"')
    for what in "${!messages[@]}"; do
        # shellcheck disable=SC2059 # the bytes are written as a format
        printf "${messages[$what]}" | send >"$work/answer"
    done
    check 'each nonsense is refused and reported' within 5 refused_more_than $((before + ${#messages[@]} - 1))
    check 'the server says what was wrong with it' server_says 'refused: .*not understood'
    still_serves 'after nonsense'
}
