# Runs in a model of the hardware. There is no such back end in this version, so no
# profile gives the source `simulated`, and config/config.yaml that asks for it is
# refused (workflow/study/profile.py knows what can be run).
