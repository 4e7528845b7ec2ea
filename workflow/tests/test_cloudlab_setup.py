"""What hosts of CloudLab do at boot: workflow/cloudlab/setup in a project of stand-ins, which write down how they are called,
for what only such a host has.
"""

import os
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CLOUDLAB = PROJECT / "workflow/cloudlab"


class Setup(unittest.TestCase):

    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.place, self.project, self.called = self.root / "local", self.root / "project", self.root / "called"
        for folder in [self.place, self.root / "home", self.project / "profiles"]:
            folder.mkdir(parents=True)
        self.write("project/workflow/cloudlab/setup", (CLOUDLAB / "setup").read_text())
        self.write("project/harness/Cargo.toml", (PROJECT / "harness/Cargo.toml").read_text())
        for name in ["ci/install", "ci/build"]:
            self.stand_in(f"project/{name}")
        self.stand_in("project/ci/workflow", 'echo "ONESIDED_DEVICE=$ONESIDED_DEVICE" >>"$CALLED"; mkdir -p results/raw; date >results/raw/run')
        self.stand_in("project/harness/target/release/onesided", "[ $1 != topology ] || mkdir -p profiles/$3; "
                      "[ $1 != topology ] || echo x >profiles/$3/machine.toml; echo finding")
        for name, does in {
            "apt-get": "", "modprobe": "exit 1", "rustup": "", "cargo": "echo cargo 1.95.0", "geni-get": "echo secret",
            "ssh-keygen": "echo public", "ssh": "echo mlx5_2", "git": "echo 0123456789ab", "hostname": "echo node0.example.org",
            "ip": "printf '2: eno1    inet 192.0.2.7/24 x\\n3: ens3f0    inet 10.10.1.1/24 x\\n3: ens3f0    inet 10.10.1.2/24 x\\n'",
        }.items():
            self.stand_in(f"bin/{name}", does)
        for device, interface in [("mlx5_0", "eno1"), ("mlx5_2", "ens3f0")]:
            self.write(f"sys/class/infiniband/{device}/ports/1/gid_attrs/ndevs/0", f"{interface}\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def stand_in(self, name, does=""):
        self.write(name, f'#!/bin/sh\necho "{Path(name).name} $*" >>"$CALLED"\n{does}\n')

    def set_up(self, *words, host=0):
        self.called.write_text("")
        environment = {
            "PATH": f"{self.root}/bin:{os.environ['PATH']}", "HOME": str(self.root / "home"), "CALLED": str(self.called),
            "ONESIDED_PLACE": str(self.place), "ONESIDED_SYSFS": str(self.root / "sys"),
        }
        words = ["--host", str(host), "--hosts", "2", "--machine", "r6525", *words]
        done = subprocess.run(
            [self.project / "workflow/cloudlab/setup", *words], env=environment, capture_output=True, text=True, check=False
        )
        self.said = done.stdout + done.stderr
        return done.returncode

    def left(self, name):
        return (self.place / f"onesided-{name}").read_text()

    def calls(self, program):
        return [line for line in self.called.read_text().splitlines() if line.split()[0] == program]

    def test_the_server_is_set_up_with_the_card_of_the_experiments_network_and_does_not_measure(self):
        self.assertEqual(self.set_up(), 0, self.said)
        self.assertEqual(self.left("device"), "mlx5_2\n")
        self.assertEqual(self.calls("install"), ["install build workflow"])
        self.assertEqual(self.calls("rustup"), [])
        self.assertEqual(self.left("hosts"), "root@10.10.1.1 10.10.1.1\nroot@10.10.1.2\n")
        self.assertEqual(self.calls("onesided"), ["onesided doctor", "onesided topology --profile cloudlab-r6525"])
        self.assertEqual(self.calls("workflow"), [])
        self.assertFalse((self.place / "onesided-results.tar.gz").exists())
        # What is said to type has the settings and the launcher.
        for words in [f". {self.place}/onesided-settings", "ci/workflow measured", "launch=ssh profile=cloudlab-r6525",
                      f"scp node0.example.org:{self.place}/onesided-results.tar.gz ."]:
            self.assertIn(words, self.left("next-steps"))
        key = self.root / "home/.ssh/onesided"
        self.assertEqual((key.read_text(), key.stat().st_mode & 0o777), ("secret\n", 0o600))
        self.set_up()
        self.assertEqual((self.root / "home/.ssh/authorized_keys").read_text(), "public\n")

    def test_settings_are_those_that_the_launcher_reads(self):
        self.set_up()
        names = "ONESIDED_HOSTS ONESIDED_DEVICE ONESIDED_SSH_OPTIONS".split()
        shown = "; ".join(f'echo "${name}"' for name in names)
        done = subprocess.run(
            ["bash", "-c", f". {self.place}/onesided-settings; {shown}"], capture_output=True, text=True, check=True
        )
        hosts, device, options = done.stdout.splitlines()
        self.assertEqual((hosts, device), (f"{self.place}/onesided-hosts", "mlx5_2"))
        self.assertIn(f"-i {self.root}/home/.ssh/onesided ", options)
        launcher = (PROJECT / "workflow/launch/ssh").read_text()
        for name in names:
            self.assertIn(name, launcher)

    def test_a_client_is_set_up_without_the_workflow_and_waits_for_nobody(self):
        self.assertEqual(self.set_up("--measure", host=1), 0, self.said)
        self.assertEqual(self.calls("install"), ["install build"])
        self.assertEqual(self.calls("ssh") + self.calls("workflow"), [])
        self.assertEqual(self.left("device"), "mlx5_2\n")
        self.assertIn("node0", self.left("next-steps"))

    def test_level_smoke_is_measured_once_and_is_one_archive(self):
        self.assertEqual(self.set_up("--measure"), 0, self.said)
        (call,) = self.calls("workflow")
        self.assertTrue(call.endswith("--config launch=ssh profile=cloudlab-r6525 source=measured level=smoke"), call)
        self.assertEqual(self.calls("ONESIDED_DEVICE=mlx5_2"), ["ONESIDED_DEVICE=mlx5_2"])
        with tarfile.open(self.place / "onesided-results.tar.gz") as archive:
            names = archive.getnames()
        for name in ["results/raw/run", "profiles/cloudlab-r6525/machine.toml", "onesided-doctor"]:
            self.assertIn(name, names)
        self.assertIn("has been measured (all runs are complete)", self.left("next-steps"))
        self.assertEqual(self.set_up("--measure"), 0, self.said)
        self.assertEqual(self.calls("workflow"), [])
        self.assertIn("has been measured (by an earlier boot)", self.left("next-steps"))

    def test_what_was_measured_is_kept_although_measuring_failed(self):
        self.stand_in("project/ci/workflow", "mkdir -p results/log; echo why >results/log/x; exit 1")
        self.assertEqual(self.set_up("--measure"), 1, self.said)
        with tarfile.open(self.place / "onesided-results.tar.gz") as archive:
            self.assertIn("results/log/x", archive.getnames())
        self.assertIn("some runs are missing or not valid", self.left("next-steps"))

    def refused(self, reason, **how):
        self.assertEqual(self.set_up("--measure", **how), 2, self.said)
        self.assertIn(reason, self.left("next-steps"))
        self.assertIn(f"To try again, as root: cd {self.project} && workflow/cloudlab/setup --host", self.left("next-steps"))
        self.assertEqual(self.calls("workflow"), [])

    def test_a_network_without_an_rdma_device_is_told_with_what_to_ask_for(self):
        self.write("sys/class/infiniband/mlx5_2/ports/1/gid_attrs/ndevs/0", "other\n")
        self.refused("interface ens3f0, which has 10.10.1.1, belongs to no RDMA device: ask for another card")
        self.stand_in("bin/ip")
        self.refused("no interface of this host has the address 10.10.1.1")

    def test_hosts_whose_cards_have_different_names_are_told(self):
        self.stand_in("bin/ssh", "echo mlx5_3")
        self.refused("the card is mlx5_2 here and mlx5_3 on host 1")

    def test_a_step_that_fails_is_told_where_one_looks(self):
        self.stand_in("project/ci/build", "exit 1")
        self.refused("failed")
        self.stand_in("bin/geni-get", "exit 1")
        self.stand_in("project/ci/build")
        self.refused("failed")

    def test_rust_is_installed_where_it_is_too_old(self):
        self.stand_in("bin/cargo", "echo cargo 1.75.0")
        self.assertEqual(self.set_up(host=1), 0, self.said)
        self.assertEqual(self.calls("rustup"), ["rustup toolchain install 1.95 --profile minimal", "rustup default 1.95"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
