# Runs on machines that the lab boots: two or more, with Soft-RoCE between them.


use rule measure as emulate with:
    input:
        table=rules.design.output,
        script=ancient("workflow/scripts/measure"),
        launchers=ancient(files_below("workflow/launch", "ci/lab.d") + ["ci/lab"]),
        program=ancient(PROGRAM),
    log:
        "results/log/emulate/{profile}/{level}/{experiment}/{design}/{blocks}{accepted}.log",
    wildcard_constraints:
        profile=one_of(STUDY.of_source("emulated")),
        blocks="all|[0-9]+-[0-9]+",
        design="[0-9a-f]{8}",
        accepted="|[.]accepted",
    resources:
        launch="lab",
        testbed=1,
        nodes=hosts,
    localrule: True
