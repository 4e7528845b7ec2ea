# Runs on machines that the lab boots: two or more, with Soft-RoCE between them.


use rule measure as emulate with:
    log:
        "results/log/emulate/{profile}/{level}/{experiment}/{blocks}.log",
    params:
        launch="lab",
        server="",
        token="",
        invalid="--accept-invalid" if STUDY.config.accept_invalid else "",
    wildcard_constraints:
        profile=one_of(STUDY.of_source("emulated")),
    localrule: True
