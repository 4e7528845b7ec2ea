# shellcheck shell=bash disable=SC2034 # whoever reads this file uses what it sets
# The command line of every way to bring both sides up:
#
#   launch/WAY --program ONESIDED --table RUNS.CSV --raw DIRECTORY --client-hosts N
#              --server HOST:PORT --token-file FILE --hop-delay-of PROFILE -- [ARGUMENT OF onesided run]...
#
# A way starts `onesided serve` on one host, `onesided run` on another, and `onesided join` on
# N - 1 further ones; it ends when `run` does, with its exit status, and leaves nothing running.
program='' table='' raw='' client_hosts=1 server='' token_file='' hop_delay_of=''
while [[ $# -gt 0 ]]; do
    case $1 in
        --program) program=$(realpath "$2") ;;
        --table) table=$2 ;;
        --raw) raw=$2 ;;
        --client-hosts) client_hosts=$2 ;;
        --server) server=$2 ;;
        --token-file) token_file=$2 ;;
        --hop-delay-of) hop_delay_of=$2 ;;
        --) shift; break ;;
        *) echo "$0: no option '$1'" >&2; exit 2 ;;
    esac
    shift 2
done
