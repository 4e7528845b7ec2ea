# shellcheck shell=bash disable=SC2154 # who sources this sets what is where
# The server of the cases, on machine b of the lab or beside its clients: sourced after $onesided,
# $server_address, $server_log, $token, $back_end and pause are there.

# serve [WORD...]: a server in the background, once it listens; the words go before its command, and
# what is in $serving behind it.
serve() {
    local _
    [[ -v serving ]] || serving=()
    : >"$server_log"
    "$@" "$onesided" serve "${back_end[@]}" "${serving[@]}" --listen "$server_address" --token-file "$token" \
        >>"$server_log" 2>&1 &
    server=$!
    # It ends where it cannot listen.
    until grep -q ': serving' "$server_log"; do
        kill -0 "$server" 2>/dev/null || return
        pause 0.05
    done
}

# end_server [SIGNAL]: and waits until it is gone.
end_server() {
    {
        kill "-${1:-TERM}" "$server"
        wait "$server"
    } 2>/dev/null
    return 0
}
