# The program. Another one, for instance of an image, is named by `onesided` in
# config/config.yaml and not built.

# The end of a command whose output goes to the log, and to the terminal when it fails.
TOLD = " >{log} 2>&1 || {{ cat {log} >&2; exit 1; }}"

PROGRAM = STUDY.config.onesided
BUILT = "harness/target/release/onesided"


rule build:
    input:
        manifests=["harness/Cargo.toml", "harness/Cargo.lock"],
        sources=sorted(str(path) for path in Path("harness/crates").rglob("*.rs")),
        script="ci/build",
    output:
        BUILT,
    log:
        "results/log/build.log",
    localrule: True
    shell:
        # Cargo leaves a program alone that comes out the same; it is up to date all the same.
        "{{ echo 'compiling the harness, some 4 minutes on 2 cores' && {input.script} && touch {output}; }}" + TOLD
