# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow and 4-ways.bash set what is not set here
# Hosts from a file, over a real sshd on loopback that nobody else can log in to. Its package is unpacked and
# not installed, as that would start a server for everybody; the user that it asks for is there in a mount
# namespace only, which takes root.

ssh_place=$ways/ssh
mkdir -p "$ssh_place"
cache=${ONESIDED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/onesided}
sshd=$cache/sshd/usr/sbin/sshd
unpack_sshd() {
    [[ -x $sshd ]] && return
    # With the one library of it that a machine without sshd lacks.
    (cd "$ssh_place" && apt-get download openssh-server libwrap0 && for each in ./*.deb; do dpkg-deb -x "$each" unpacked; done) \
        >"$said" 2>&1 || return
    LD_LIBRARY_PATH=$ssh_place/unpacked/usr/lib/$(uname -m)-linux-gnu ldd "$ssh_place/unpacked/usr/sbin/sshd" | grep -q 'not found' && return 1
    mkdir -p "$cache" && rm -rf "$cache/sshd" && mv "$ssh_place/unpacked" "$cache/sshd"
}
ssh_port=
serve_ssh() {
    ssh-keygen -q -t ed25519 -N '' -f "$ssh_place/host" && ssh-keygen -q -t ed25519 -N '' -f "$ssh_place/key" || return
    cp "$ssh_place/key.pub" "$ssh_place/authorized"
    ssh_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    cat >"$ssh_place/sshd_config" <<CONFIG
Port $ssh_port
ListenAddress 127.0.0.1
HostKey $ssh_place/host
PidFile none
UsePAM no
AuthorizedKeysFile $ssh_place/authorized
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
CONFIG
    { cat /etc/passwd; grep -q '^sshd:' /etc/passwd || echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin'; } >"$ssh_place/passwd"
    unshare --mount --fork --kill-child bash -c "mount --bind '$ssh_place/passwd' /etc/passwd && mount -t tmpfs -o mode=755 none /run &&
        mkdir -m 755 /run/sshd && exec env LD_LIBRARY_PATH='$cache/sshd/usr/lib/$(uname -m)-linux-gnu' '$sshd' -D -e -f '$ssh_place/sshd_config'" >"$ssh_place/sshd.said" 2>&1 &
    ssh_server=$!
    # shellcheck disable=SC2317,SC2329 # called by until_true
    answers() { (exec 4<>"/dev/tcp/127.0.0.1/$ssh_port") 2>/dev/null; }
    until_true 20 answers || { cat "$ssh_place/sshd.said"; return 1; }
}
over_ssh() {
    local before
    left_there() { compgen -G '/tmp/tmp.*/onesided' || compgen -G '/tmp/tmp.*/table.csv'; }
    # What others left there is not this launch's.
    before=$(left_there | sort)
    export ONESIDED_HOSTS=$ssh_place/hosts
    export ONESIDED_SSH_OPTIONS="-i $ssh_place/key -p $ssh_port -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    printf '# server, client\n%s\n' 'root@127.0.0.1' 'root@127.0.0.1' >"$ONESIDED_HOSTS"
    way 'hosts from a file, over ssh' ssh --launch ssh
    # A run that is not valid is done again, and the new one counts.
    spoiled=$(compgen -G "$ways/ssh/*/*/*/run.json" | head -n 1)
    sed -i 's/"status": "[a-z]*"/"status": "spoiled"/' "$spoiled"
    does ssh --launch ssh
    check 'over ssh: a run that was not valid is replaced' bash -c "! grep spoiled '$spoiled'"
    rm -rf "$ways/long"
    # On the client's host there is a run that is whole; it is brought back although the job is ended.
    workflow/scripts/measure --program "$place/program/over-rmc" --table "$ways/long.csv" --raw "$ways/long" \
        --done "$ways/long.done" --launch ssh >"$said" 2>&1 &
    local job=$!
    until compgen -G '/tmp/tmp.*/raw/*/*/*[0-9a-f]/run.json' >/dev/null || ! kill -0 "$job" 2>/dev/null; do sleep 0.1; done
    kill -TERM "$job"
    wait "$job"
    echo $? >"$ways/long.exit"
    check 'over ssh: ended, the job says that it is not done' test "$(<"$ways/long.exit")" = 2
    check 'and leaves nothing running on the hosts' until_true 10 no_side_is_left
    check 'nor its program, nor the token' test "$(left_there | sort)" = "$before"
    check 'over ssh: the runs that were complete are brought back, and are whole' whole_runs
    printf 'root@127.0.0.1\n' >"$ONESIDED_HOSTS"
    does one-host --launch ssh
    check 'too few hosts are told with how many are needed' grep -q 'names 1 of the 2 hosts that are needed' "$ways/one-host.said"
    # shellcheck disable=SC2016 # what a shell would expand if it came so far
    printf -- '-oProxyCommand=touch${IFS}%s\nb\n' "$ssh_place/touched" >"$ONESIDED_HOSTS"
    does option --launch ssh
    check 'a host that would be an option of ssh is refused' grep -q 'is no host' "$ways/option.said"
    check 'and is not taken for one' test ! -e "$ssh_place/touched"
    unset ONESIDED_HOSTS
    does nowhere --launch ssh
    check 'without a file of hosts it is told which variable names it' grep -q 'ONESIDED_HOSTS' "$ways/nowhere.said"
    # unshare holds back other signals; its child ends with it.
    kill -KILL "$ssh_server" 2>/dev/null
    wait "$ssh_server" 2>/dev/null
    unset ONESIDED_SSH_OPTIONS
}
if [[ $EUID -ne 0 ]]; then
    skip 'hosts from a file, over ssh' 'an sshd of its own needs root'
elif ! command -v ssh >/dev/null; then
    skip 'hosts from a file, over ssh' 'there is no ssh here (Debian: openssh-client)'
elif ! unpack_sshd; then
    skip 'hosts from a file, over ssh' 'the package openssh-server could not be had'
elif serve_ssh >"$said" 2>&1; then
    over_ssh
else
    fail 'an sshd on loopback answers' "$(<"$said")"
fi
