# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # b expands; attempt.bash sets and uses
# The control channel: secrets, addresses, versions, nonsense.

tokens() {
    echo 'another secret of enough length' >/tmp/work/token
    chmod 600 /tmp/work/token
    run_with_token /tmp/work/token
    ended 'a wrong token is refused' 2 "$server_address" 'give both the same token'
    check 'the server tells of a wrong token' order grep -q 'refused: .*token' /tmp/server.log
    chmod 644 /tmp/work/token
    run_with_token /tmp/work/token
    ended 'a token that others can read is refused' 2 /tmp/work/token 'mode 0644' 'chmod 600'
    echo short >/tmp/work/short
    chmod 600 /tmp/work/short
    run_with_token /tmp/work/short
    ended 'a token that can be guessed is refused' 2 /tmp/work/short '5 characters, 16 are needed'
    run_with_token /tmp/work/nowhere
    ended 'a token that is not there is named' 2 /tmp/work/nowhere
    still_serves 'after wrong tokens'
}

run_with_token() {
    attempt 20 "$onesided" run --server "$server_address" --token-file "$1" --out /tmp/raw "${short[@]}"
}

addresses() {
    local told
    told=$(order 'timeout 10 "$onesided" serve --listen "$LAB_ADDRESS:18515" --token-file /out/token')
    status=$? stderr=$told
    ended 'a port in use is refused' 2 10.0.0.2:18515 'in use' 'another port'
    attempt 10 "$onesided" serve --listen 10.9.9.9:18515 --token-file /out/token
    ended 'an address of another machine is refused' 2 10.9.9.9:18515 'ip address'
    attempt 10 "${client[@]/$server_address/$LAB_PEER_ADDRESS:18599}" --wait-for-server 1s
    ended 'where nobody listens, it is said' 2 "$LAB_PEER_ADDRESS:18599" 'is the server running?'
    attempt 10 "${client[@]/$server_address/10.0.0.77:18515}" --wait-for-server 2s
    ended 'where no machine is, it is said' 2 10.0.0.77:18515
    attempt 10 "${client[@]/$server_address/nonsense}"
    ended 'an address without a port is refused' 2 '"nonsense"' host:port
}

# The bytes of a frame: length, kind (1: handshake) and body.
frame() {
    # shellcheck disable=SC2059 # the format is made here
    printf "$(printf '\\x%02x' 0 0 $((${#1} / 256)) $((${#1} % 256)) 1)"
    printf '%s' "$1"
}

# Serves what is on its standard input to one client, in the background.
fake_server() {
    busybox nc -l -p 18517 <&0 >/tmp/work/heard &
    fake=$!
    until ss -Hltn 'sport = 18517' | grep -q .; do pause 0.05; done
}

run_against_fake() {
    attempt 20 "${client[@]/$server_address/127.0.0.1:18517}"
    kill "$fake" 2>/dev/null
    wait "$fake" 2>/dev/null
}

other_programs() {
    fake_server < <(printf 'SSH-2.0-OpenSSH_9.2\r\n'; pause 9)
    run_against_fake
    ended 'a server of another kind is told as such' 2 127.0.0.1:18517 'does the peer run onesided?'
    fake_server < <(pause 15)
    run_against_fake
    ended 'a server that says nothing is given up' 2 127.0.0.1:18517 'greeting within 5s'
}

other_versions() {
    # The version of the control protocol here: `PROTOCOL_VERSION`.
    local hex=0123456789abcdef told own=4
    hex=$hex$hex$hex$hex
    fake_server < <(frame '{"protocol":"onesided-control","version":999,"harness":"9.9.9","nonce":"'"$hex"'"}'; pause 3)
    run_against_fake
    ended 'a server of another version is told with both' 2 'version 999' "version $own " 9.9.9 'the same build'
    check 'and learns of ours' grep -q "\"version\":$own" /tmp/work/heard
    told=$({ frame '{"version":999,"harness":"9.9.9","nonce":"'"$hex"'","proof":"'"$hex"'"}'; pause 1; } |
        timeout 10 busybox nc "$LAB_PEER_ADDRESS" 18515 | tr -d '\0')
    check 'a client of another version is refused with both' \
        grep -q "version-mismatch.*\"server\":$own,\"client\":999" <<<"$told"
    check 'the server tells of both versions' order grep -q "'version $own .*version 999 .*9.9.9'" /tmp/server.log
    still_serves 'after another version'
}

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
    local what before after
    before=$(order 'grep -c refused: /tmp/server.log')
    for what in "${!messages[@]}"; do
        # shellcheck disable=SC2059 # the bytes are written as a format
        printf "${messages[$what]}" | timeout 10 busybox nc -w 3 "$LAB_PEER_ADDRESS" 18515 >/dev/null
    done
    pause 1
    after=$(order 'grep -c refused: /tmp/server.log')
    check 'each nonsense is refused and told' test $((after - before)) -eq "${#messages[@]}"
    check 'the server says what was wrong with it' order grep -q "'refused: .*not understood'" /tmp/server.log
    still_serves 'after nonsense'
}
