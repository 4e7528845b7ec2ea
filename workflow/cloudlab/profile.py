"""Hosts with RDMA cards on one network, on which onesided is installed and built, and measures if you ask for it.

Instructions:
Installing and building takes some minutes after the hosts have booted: `/local/onesided-setup.log` on each. When
`/local/onesided-next-steps` is on node0, it says what to type, on node0 as root. docs/running-on-your-cluster.md of the
repository has a section about CloudLab.
"""
# Where this file is uploaded as a profile, CloudLab's portal runs it with its own geni-lib and shows the parameters as
# a form. By hand: workflow/cloudlab/environment. For Python 2 and 3, as nobody says which the portal has.

import re

import geni.portal as portal
import geni.rspec.pg as pg

# Types of machine with a ConnectX card, by what CloudLab's and Apt's manuals and users of them say of each. The study's
# question needs two NUMA nodes, so two sockets come first.
TWO_SOCKETS = [
    ("r6525", "r6525, Clemson: two EPYC 7543, ConnectX-6 100 Gb/s"),
    ("r650", "r650, Clemson: two Xeon with 36 cores each, ConnectX-6 100 Gb/s"),
    ("r7525", "r7525, Clemson: two EPYC 7542, ConnectX-5 25 Gb/s and BlueField-2 100 Gb/s"),
    ("c6220", "c6220, Apt: two Xeon E5-2650 v2, ConnectX-3 FDR, as the study's poster names (profiles/nurdma-apt)"),
]
ONE_SOCKET = [
    ("r320", "r320, Apt: one Xeon E5-2450, ConnectX-3 FDR"),
    ("c6525-100g", "c6525-100g, Utah: one EPYC 7402P, ConnectX-5 100 Gb/s"),
    ("d6515", "d6515, Utah: one EPYC, ConnectX-5 100 Gb/s"),
]
IMAGE = "urn:publicid:IDN+emulab.net+image+emulab-ops//UBUNTU24-64-STD"
# One server and one client; experiments by client hosts have four clients. More are never used.
FEWEST_HOSTS, MOST_HOSTS = 2, 5
# As workflow/cloudlab/setup knows it.
NETWORK, NETMASK = "10.10.1", "255.255.255.0"
FOLDER = "/local/onesided"


def define_parameters():
    kinds = portal.ParameterType
    define = portal.context.defineParameter
    define(
        "machine", "Type of machine", kinds.NODETYPE, TWO_SOCKETS[0][0], TWO_SOCKETS + ONE_SOCKET,
        longDescription="All hosts are of it. On a machine with one socket memory that is RDMA-remote is missing, "
        "unless its firmware divides the socket into NUMA nodes.",
    )
    define(
        "other_machine", "Another type of machine", kinds.STRING, "", advanced=True,
        longDescription="A type that is not in the list; it takes the place of the one that was chosen there.",
    )
    define(
        "hosts", "Number of hosts", kinds.INTEGER, FEWEST_HOSTS,
        longDescription="The server is node0, each other one a client. Only the experiments "
        "throughput-by-client-hosts, inbound-by-service, receives-by-payload and atomics-by-counters need more than "
        "two: five.",
    )
    define(
        "repository", "Git repository of onesided", kinds.STRING, "",
        longDescription="The address of one that the hosts can read without a password, such as "
        "https://example.org/onesided.git. Empty: /local/repository, where CloudLab puts the repository that a profile "
        "is made of.",
    )
    define(
        "commit", "Commit, tag or branch of it", kinds.STRING, "main",
        longDescription="For results to keep, a commit's hash. Of /local/repository it is the one that is there.",
    )
    define(
        "measure", "Measure as soon as all is built", kinds.BOOLEAN, False,
        longDescription="The default experiments at level smoke: some minutes. What comes of it is one archive on node0.",
    )
    define(
        "image", "Disk image", kinds.IMAGE, IMAGE, advanced=True,
        longDescription="Debian or Ubuntu with Python 3.11 or newer, and with Rust 1.95 or newer or the package rustup.",
    )
    define(
        "gigabits", "Speed of the network in Gb/s", kinds.INTEGER, 0, advanced=True,
        longDescription="Which of a machine's cards the network is on, where it has several: CloudLab takes one of that "
        "speed. 0: CloudLab chooses.",
    )


def faults(asked):
    """Each parameter that cannot be granted, with the reason and what would do."""
    if asked.other_machine and not re.match(r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z", asked.other_machine):
        yield "other_machine", "'%s' is no type of machine: letters, digits, '.', '_' and '-'" % asked.other_machine
    if not FEWEST_HOSTS <= asked.hosts <= MOST_HOSTS:
        yield "hosts", "there must be %d hosts (a server and a client) to %d, not %d" % (FEWEST_HOSTS, MOST_HOSTS, asked.hosts)
    # Both become words of a shell's command, hence no other characters.
    if asked.repository and not re.match(r"^(https?|git|ssh)://[A-Za-z0-9][A-Za-z0-9./_~:@%+-]*\Z", asked.repository):
        yield "repository", "'%s' is no address of a git repository: https://HOST/PATH" % asked.repository
    if not re.match(r"^[A-Za-z0-9][A-Za-z0-9._/-]*\Z", asked.commit):
        yield "commit", "'%s' is no commit, tag or branch" % asked.commit
    if not re.match(r"^urn:publicid:IDN\+[^+\s]+\+image\+\S+\Z", asked.image):
        yield "image", "'%s' is no image: urn:publicid:IDN+DOMAIN+image+PROJECT//NAME" % asked.image
    if not 0 <= asked.gigabits <= 400:
        yield "gigabits", "%d Gb/s: there must be 1 to 400, or 0 to let CloudLab choose" % asked.gigabits


def doubts(asked):
    """What is granted and may not be what was meant. CloudLab shows it once, before it makes the request."""
    if asked.machine in dict(ONE_SOCKET) and not asked.other_machine:
        yield "machine", "%s has one socket: runs whose memory is RDMA-remote cannot be done on it" % asked.machine
    if not asked.repository:
        yield "repository", "none: /local/repository is there only if the profile was made of a git repository"


def command(asked, machine, index):
    """What a host runs at each boot, as root: the first time it also clones the repository."""
    setup = "workflow/cloudlab/setup --host %d --hosts %d --machine %s" % (index, asked.hosts, machine)
    if asked.measure:
        setup += " --measure"
    fetch = "git clone %s %s" % (asked.repository, FOLDER) if asked.repository else "cp -R /local/repository %s" % FOLDER
    steps = [
        "{ command -v git || { apt-get update && apt-get install -y git; }; }",
        "{ test -e %s/.git || %s; }" % (FOLDER, fetch),
        "cd %s" % FOLDER,
        "git checkout --quiet %s" % asked.commit if asked.repository else "git log -1 --oneline",
        setup,
    ]
    return "sudo sh -c '{ %s; } >>%s-setup.log 2>&1'" % (" && ".join(steps), FOLDER)


def make_request(asked):
    machine = asked.other_machine or asked.machine
    request = portal.context.makeRequestRSpec()
    network = request.LAN("rdma")
    for index in range(asked.hosts):
        host = request.RawPC("node%d" % index)
        host.hardware_type = machine
        host.disk_image = asked.image
        interface = host.addInterface("rdma")
        interface.addAddress(pg.IPv4Address("%s.%d" % (NETWORK, index + 1), NETMASK))
        network.addInterface(interface)
        host.addService(pg.Execute(shell="sh", command=command(asked, machine, index)))
    if asked.gigabits:
        # Of each interface, in kb/s.
        network.bandwidth = asked.gigabits * 1000 * 1000


def main():
    define_parameters()
    asked = portal.context.bindParameters()
    for name, why in faults(asked):
        portal.context.reportError(portal.ParameterError(why, [name]))
    for name, why in doubts(asked):
        portal.context.reportWarning(portal.ParameterWarning(why, [name]))
    portal.context.verifyParameters()
    make_request(asked)
    portal.context.printRequestRSpec()


main()
