"""The request that workflow/cloudlab/profile.py makes with the real geni-lib, run as CloudLab's portal runs it.

ONESIDED_RSPEC_SCHEMA names a copy of the public schema (request.xsd of version 3, its parts beside it) to hold the
request against as well.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CLOUDLAB = PROJECT / "workflow/cloudlab"
PYTHON = Path(subprocess.run([CLOUDLAB / "environment"], capture_output=True, text=True, check=True).stdout.strip(), "bin/python3")
REPOSITORY = "https://example.org/onesided.git"
RSPEC = "{http://www.geni.net/resources/rspec/3}"
# Of RSpec version 3, what a request may have of what this one uses: of each element its attributes, those that it
# must have first, and the elements in it. What is of another namespace is an extension, and may be anywhere.
VERSION_3 = {
    "rspec": ("type", "generated generated_by expires", "node link"),
    "node": ("client_id", "component_id component_manager_id exclusive", "sliver_type hardware_type interface services"),
    "sliver_type": ("name", "", "disk_image"),
    "disk_image": ("name", "os version description", ""),
    "hardware_type": ("name", "", ""),
    "interface": ("client_id", "component_id", "ip"),
    "ip": ("address", "netmask type", ""),
    "services": ("", "", "login install execute"),
    "execute": ("shell command", "", ""),
    "link": ("client_id", "", "interface_ref link_type property component_manager"),
    "interface_ref": ("client_id", "", ""),
    "link_type": ("name", "class", ""),
    "property": ("source_id dest_id", "capacity latency packet_loss", ""),
}


@unittest.skipUnless(PYTHON.exists(), "geni-lib is not installed: ci/install cloudlab")
class Profile(unittest.TestCase):
    def setUp(self):
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.place / "request.xml"

    def run_profile(self, warnings_are_fatal=False, **asked):
        """As the portal does: parameters in a file, the request in another, faults as JSON on stderr."""
        (self.place / "asked.json").write_text(json.dumps({"repository": REPOSITORY, **asked}))
        environment = {
            **os.environ, "GENILIB_PORTAL_MODE": "1", "GENILIB_PORTAL_PARAMS_PATH": str(self.place / "asked.json"),
            "GENILIB_PORTAL_REQUEST_PATH": str(self.file),
        }
        if warnings_are_fatal:
            environment["GENILIB_PORTAL_WARNINGS_ARE_FATAL"] = "1"
        return subprocess.run(
            [PYTHON, "-B", CLOUDLAB / "profile.py"], env=environment, capture_output=True, text=True, check=False
        )

    def request(self, **asked):
        done = self.run_profile(**asked)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return ElementTree.parse(self.file).getroot()

    def refusals(self, **asked):
        """The message about each parameter that is refused."""
        done = self.run_profile(**asked)
        self.assertGreater(done.returncode, 100, done.stderr)
        self.assertFalse(self.file.exists())
        return {fault["params"][0]: fault["message"] for fault in json.loads(done.stderr)}

    @staticmethod
    def named(request, path):
        return [each.get("name") for each in request.iterfind("/".join(RSPEC + step for step in path.split("/")))]

    @staticmethod
    def script(host):
        """What the shell of a host runs, without the words that make it root's."""
        words = shlex.split(host.find(f"{RSPEC}services/{RSPEC}execute").get("command"))
        return words[3] if words[:3] == ["sudo", "sh", "-c"] and len(words) == 4 else None

    def test_two_machines_of_the_asked_type_are_requested_with_the_image(self):
        request = self.request(machine="c6220", image="urn:publicid:IDN+emulab.net+image+emulab-ops//DEB12-64-STD")
        self.assertEqual(request.get("type"), "request")
        hosts = request.findall(f"{RSPEC}node")
        self.assertEqual([host.get("client_id") for host in hosts], ["node0", "node1"])
        self.assertEqual({host.get("exclusive") for host in hosts}, {"true"})
        self.assertEqual(self.named(request, "node/hardware_type"), ["c6220", "c6220"])
        images = self.named(request, "node/sliver_type/disk_image")
        self.assertEqual(images, ["urn:publicid:IDN+emulab.net+image+emulab-ops//DEB12-64-STD"] * 2)
        self.assertEqual(self.named(self.request(other_machine="sm220u"), "node/hardware_type"), ["sm220u"] * 2)

    def test_one_network_joins_one_interface_of_each_host(self):
        for count in [2, 5]:
            request = self.request(hosts=count)
            (network,) = request.findall(f"{RSPEC}link")
            joined = [each.get("client_id") for each in network.findall(f"{RSPEC}interface_ref")]
            self.assertEqual(joined, [f"node{number}:rdma" for number in range(count)])
            self.assertEqual(self.named(network, "link_type"), ["lan"])
            addresses = {}
            for interface in request.iterfind(f"{RSPEC}node/{RSPEC}interface"):
                (address,) = interface.findall(f"{RSPEC}ip")
                self.assertEqual(address.get("netmask"), "255.255.255.0")
                addresses[interface.get("client_id")] = address.get("address")
            self.assertEqual(addresses, {name: f"10.10.1.{number + 1}" for number, name in enumerate(joined)})

    def test_the_networks_speed_is_asked_for_where_it_is_given(self):
        self.assertEqual(list(self.request().iter(f"{RSPEC}property")), [])
        speeds = [(each.get("source_id"), each.get("capacity")) for each in self.request(gigabits=40).iter(f"{RSPEC}property")]
        self.assertEqual(speeds, [("node0:rdma", "40000000"), ("node1:rdma", "40000000")])

    def test_each_host_fetches_the_commit_and_sets_itself_up_at_every_boot(self):
        origin, copy = self.place / "origin", self.place / "onesided"
        said = self.place / "said"
        setup = origin / "workflow/cloudlab/setup"
        setup.parent.mkdir(parents=True)
        setup.write_text(f'#!/bin/sh\necho "$@" >>{said}\n')
        setup.chmod(0o755)
        git = ["git", "-C", origin, "-c", "user.name=x", "-c", "user.email=x@example.org"]
        for words in [["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "x"], ["tag", "v1"]]:
            subprocess.run([*git, *words], check=True)
        request = self.request(commit="v1", machine="r650")
        for host in request.findall(f"{RSPEC}node"):
            self.assertEqual(host.find(f"{RSPEC}services/{RSPEC}execute").get("shell"), "sh")
            script = self.script(host).replace(REPOSITORY, str(origin)).replace("/local/onesided", str(copy))
            for _boot in range(2):
                done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        expected = [f"--host {number} --hosts 2 --machine r650" for number in [0, 0, 1, 1]]
        self.assertEqual(said.read_text().splitlines(), expected)
        self.assertIn("Cloning into", Path(f"{copy}-setup.log").read_text())

    def test_hosts_measure_only_where_that_is_asked_for(self):
        for asked, found in [(False, []), (True, ["--measure"])]:
            (host, _other) = self.request(measure=asked).findall(f"{RSPEC}node")
            self.assertEqual(re.findall("--measure", self.script(host)), found)

    def test_without_a_repository_it_is_that_of_the_profile(self):
        # As the portal tries a new profile, with no value of anybody's.
        (host, _other) = self.request(repository="").findall(f"{RSPEC}node")
        self.assertIn("cp -R /local/repository /local/onesided", self.script(host))

    def test_bad_parameters_are_refused_with_what_would_do(self):
        found = self.refusals(
            hosts=1, repository="git@example.org:x", commit="a b", image="UBUNTU24-64-STD", gigabits=-1, other_machine="r 650",
        )
        self.assertEqual(sorted(found), ["commit", "gigabits", "hosts", "image", "other_machine", "repository"])
        self.assertEqual(found["hosts"], "there must be 2 hosts (a server and a client) to 5, not 1")
        self.assertEqual(found["repository"], "'git@example.org:x' is no address of a git repository: https://HOST/PATH")
        self.assertIn("urn:publicid:IDN+DOMAIN+image+PROJECT//NAME", found["image"])
        self.assertEqual(sorted(self.refusals(hosts=6)), ["hosts"])
        self.assertEqual(self.refusals(machine="m510"), {"machine": "Illegal value 'm510'"})
        self.assertEqual(sorted(self.refusals(hosts="two")), ["hosts"])

    def test_no_parameter_becomes_a_command_of_the_hosts_shell(self):
        for word in ["x;id", "x'", "$(id)", "`id`", "x\nid", "x\n", "x&id", "-x", "x|id", 'x"']:
            for name, value in [("commit", word), ("other_machine", word), ("repository", f"https://h/{word}")]:
                if (name, word) != ("repository", "-x"):
                    self.assertEqual(list(self.refusals(**{name: value})), [name], value)

    def test_one_socket_and_no_repository_are_warned_about_once(self):
        for asked, name in [({"machine": "r320"}, "machine"), ({"repository": ""}, "repository")]:
            done = self.run_profile(warnings_are_fatal=True, **asked)
            self.assertEqual([fault["params"] for fault in json.loads(done.stderr)], [[name]])
            self.request(**asked)
        self.assertEqual(self.run_profile(warnings_are_fatal=True).returncode, 0)

    def test_the_request_has_what_version_3_of_rspec_allows_and_nothing_else(self):
        request = self.request(hosts=5, gigabits=100)
        seen = set()
        for parent in request.iter():
            if not parent.tag.startswith(RSPEC):
                continue
            name = parent.tag.removeprefix(RSPEC)
            needed, more, within = (words.split() for words in VERSION_3[name])
            attributes = {attribute for attribute in parent.keys() if "}" not in attribute}
            self.assertLessEqual(set(needed), attributes, name)
            self.assertLessEqual(attributes, {*needed, *more}, name)
            children = {each.tag.removeprefix(RSPEC) for each in parent if each.tag.startswith(RSPEC)}
            self.assertLessEqual(children, set(within), name)
            seen.add(name)
        self.assertEqual(seen, set(VERSION_3))
        named = [each.get("client_id") for name in ["node", "interface", "link"] for each in request.iter(RSPEC + name)]
        self.assertEqual(len(named), len(set(named)), "each client_id is there once")

    @unittest.skipUnless(os.environ.get("ONESIDED_RSPEC_SCHEMA"), "ONESIDED_RSPEC_SCHEMA names no request.xsd")
    def test_the_request_is_valid_by_the_public_schema(self):
        program = (
            "import sys; from lxml import etree\n"
            "schema = etree.XMLSchema(etree.parse(sys.argv[1])); schema.assertValid(etree.parse(sys.argv[2]))\n"
        )
        for asked in [{}, {"hosts": 5, "gigabits": 100, "measure": True}]:
            self.request(**asked)
            words = [PYTHON, "-c", program, os.environ["ONESIDED_RSPEC_SCHEMA"], self.file]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
