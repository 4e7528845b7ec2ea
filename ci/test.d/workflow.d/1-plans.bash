# shellcheck shell=bash disable=SC2154 # ci/test.d/workflow sets what is not set here
# Plans: the whole study, and what is no study.

refused 'an unknown profile is refused' "profile 'soft-roce-lap' is unknown, did you mean 'soft-roce-lab'?" profile=soft-roce-lap
refused 'an unknown experiment is refused' "did you mean 'atomics'?" experiments=atomic
refused 'an unknown key is refused' "key 'experiment' is unknown, did you mean 'experiments'?" experiment=atomics
refused 'an unknown level is refused' "level 'smoky' is unknown, did you mean 'smoke'?" level=smoky
refused 'a source that no machine gives is refused' "source 'simulated': no profile gives it" source=soft-roce,simulated
refused 'a machine without parameters is not simulated' 'it has no simulation.toml' profile=soft-roce-lab source=simulated
refused 'a machine whose runs are not of the source is refused with what they are' "are 'simulated'" profile=nurdma-cx3 source=measured
check_refusals

plan_the_whole_study() {
    local began runs limit_ms
    # The bound of the design; an idle machine takes a sixth of it.
    limit_ms=$((1000 * $(limit 10)))
    began=$EPOCHREALTIME
    study --dry-run --quiet rules --config level=full experiments=all overlay=false || { tail -n 5 "$said"; return 1; }
    took_ms=$(((${EPOCHREALTIME/./} - ${began/./}) / 1000))
    jobs=$(planned soft_roce)
    runs=$("$program" expand experiments/*.toml 2>&1 >"$place/all.csv" | tail -n 1)
    echo "   the whole study: ${runs#onesided: }; $jobs jobs, planned in $took_ms ms of at most $limit_ms"
    [[ $(wc -l <"$place/all.csv") -gt 5000 && $jobs -ge 57 && $jobs -le 285 && $took_ms -le $limit_ms ]]
}
check 'the whole study is planned within ten seconds, in 20 to 100 jobs for 5,000 runs' plan_the_whole_study
check 'its jobs have every run once' "$python" - "$place/all.csv" <<'PYTHON'
import csv, sys
from collections import defaultdict
sys.path.insert(0, "workflow")
from study import design
blocks = defaultdict(set)
base = {}
for row in csv.DictReader(open(sys.argv[1])):
    base.setdefault(row["experiment"], int(row["block"]) - 1)
    blocks[row["experiment"]].add(int(row["block"]) - base[row["experiment"]])
for name, there in blocks.items():
    planned = [b for job in design.read("experiments", name, "full").cost.jobs(10)
               for first, last in [map(int, job.split("-"))] for b in range(first, last + 1)]
    assert sorted(there) == planned, name
PYTHON

# Of designs that state nothing the program is asked: it must give the same jobs.
planned_jobs() { grep -oE 'results/jobs/[^ ,]*[.]csv' "$said" | sort -u; }
plan_without_statements() {
    study measured --dry-run --quiet host --config level=full experiments=all && planned_jobs >"$place/stated" || return 1
    sed -i '/^\[experiment.cost\]/,/^$/d' experiments/*.toml
    ! grep -l 'seconds = ' experiments/*.toml &&
        study measured --dry-run --quiet host --config level=full experiments=all && planned_jobs >"$place/computed"
    local status=$?
    cp "$project"/experiments/*.toml experiments
    # A design's digest is in the names.
    [[ $status -eq 0 && -s $place/stated ]] &&
        diff <(sed -E 's,/[0-9a-f]{8}/,/,' "$place/stated") <(sed -E 's,/[0-9a-f]{8}/,/,' "$place/computed")
}
check 'without a statement of its cost each design has the same jobs' plan_without_statements

# A site's own design, as docs/commands.md has it, on a machine of its own. $1: which block of TOML there.
of_the_page() {
    awk -v wanted="$1" '/^## / { here = /An experiment of your own/ } /^```$/ { inside = 0 }
        inside && number == wanted { print } here && /^```toml$/ { inside = 1; number++ }' docs/commands.md
}
of_the_page 1 >experiments/doorbell-batches.toml
mkdir "$place/stated.d"
{ of_the_page 1; of_the_page 2; } >"$place/stated.d/doorbell-batches.toml"
states_it_rightly() {
    grep -qF 'seconds = 66' "$place/stated.d/doorbell-batches.toml" && "$program" check "$place/stated.d/doorbell-batches.toml"
}
check 'what docs/commands.md states of its design is right' states_it_rightly
mkdir profiles/site
printf '[profile]\nname = "site"\ntitle = "A site"\nkind = "measured"\nsource = "a test"\n' >profiles/site/machine.toml
own=(--config profile=site level=full experiments=doorbell-batches job_minutes=0.5)
plan_of_its_own() {
    ! grep -F '[experiment.cost]' experiments/doorbell-batches.toml && study --on slurm measured --dry-run "${own[@]}" &&
        [[ $(planned measure) == 3 && $(planned_jobs | sed 's,.*/,,' | xargs) == '1-1.csv 2-3.csv 4-5.csv' ]] &&
        says 'runtime=<TBD>'
}
check "a site's own design that states no cost is planned in jobs" plan_of_its_own
# 66 s of warm-up and measuring and 30 runs in five blocks, of which a job has one or two.
limits_of_its_own() {
    study results/plan/site/full/doorbell-batches/runs.csv "${own[@]}" &&
        study --on slurm measured --dry-run "${own[@]}" job_minutes=10 && says 'runtime=8,' &&
        study --on slurm measured --dry-run "${own[@]}" && says 'runtime=6,' && ! says 'runtime=8,' >"$place/no-limit"
}
check 'once its run table is there, a job has a time limit by its own runs' limits_of_its_own
# The project's own program, which is built by a rule.
plan_before_the_program() {
    ci/workflow measured --dry-run --quiet host "${own[@]}" >"$said" 2>&1 && [[ $(planned build) == 1 && $(planned measure) == 1 ]] &&
        says 'doorbell-batches.toml: planned as one job' && says 'there is no harness/target/release/onesided yet'
}
check 'before the program is built it is one job, and the plan says why' plan_before_the_program
all_of_it=$(planned_jobs)
done_before_the_program() {
    mkdir -p "${all_of_it%/*}" && touch "$all_of_it" && study measured --dry-run "${own[@]}" && says 'Nothing to be done'
}
check 'which stays done once there is the program' done_before_the_program
rm -rf results experiments/doorbell-batches.toml profiles/site

check 'snakemake --lint finds what config/README.md argues for, and nothing else' ci/test.d/workflow.d/known-lints

one_run=(level=smoke experiments=latency-by-queue-pairs source=soft-roce)
wrong_level_of_a_factor() {
    rm -rf results/log
    study measured --dry-run --config "${one_run[@]}" only=queue_pairs=5 && return 1
    says "no run of level 'smoke' has queue_pairs = 5: there are 1, 4" && [[ ! -e results/log ]]
}
check 'a level that a factor does not have is refused with those it has, at the dry run' wrong_level_of_a_factor
# The design does not name this factor; what its default is only the program knows.
wrong_level_of_a_default() {
    study measured --config "${one_run[@]}" only=signal_every=5 && return 1
    grep -qF 'no run of latency-by-queue-pairs has signal_every = 5; it has: 1' \
        results/log/design/soft-roce-lab/smoke/latency-by-queue-pairs.log
}
check 'a level other than the default is refused with the default' wrong_level_of_a_default
check 'a refusal of a rule is shown where the workflow runs' says 'no run of latency-by-queue-pairs has signal_every = 5'
wrong_factor() {
    rm -rf results/log
    study measured --config "${one_run[@]}" only=queue_pair=1 && return 1
    says "did you mean 'queue_pairs'?" && [[ ! -e results/log ]]
}
check 'a factor that there is not is refused with what was meant, before anything is done' wrong_factor
# What a shell would do if it took a value for words of its own.
value_of_many_words() {
    # Without a semicolon, which stands between two values.
    study measured --config "${one_run[@]}" "only=signal_every=1' && touch results/touched && echo 'x" && return 1
    grep -qF "signal_every = 1' && touch results/touched && echo 'x" results/log/design/soft-roce-lab/smoke/latency-by-queue-pairs.log &&
        [[ ! -e results/touched ]]
}
check 'a value with marks of the shell in it stays one value' value_of_many_words
rm -rf results
