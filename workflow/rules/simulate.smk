# Runs in a model of the hardware. `onesided simulate` does them; no job calls it yet, so no
# profile gives the source `simulated`, and config/config.yaml that asks for it is
# refused (workflow/study/profile.py knows what can be run).
