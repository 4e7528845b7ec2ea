"""Whether memory and threads were where their own words mean, at each moment."""

MEMORY = {
    "client-buffers": "client_buffers",
    "client-rings": "client_rings",
    "server-region": "server_region",
    "server-rings": "server_rings",
    "load-buffer": "load_memory",
}
THREADS = {"client": "client_threads", "worker": "worker_threads", "load": "load_threads"}
PLACES = [*MEMORY.values(), *THREADS.values()]
MOMENTS = {"before", "during", "after"}


class Lab:
    """The machine as ci/lab was told to make it."""

    def __init__(self, nic_node, cpus_per_node):
        self.nic_node = nic_node
        self.cpus_per_node = cpus_per_node

    def node(self, word):
        """The node that a word means; None for any. All distances are alike, so the remote one is
        the lowest that is not the NIC's."""
        if word == "rdma-local":
            return self.nic_node
        if word == "rdma-remote":
            return 1 if self.nic_node == 0 else 0
        return None if word == "any" else int(word.removeprefix("node:"))

    def node_of_cpu(self, cpu):
        return cpu // self.cpus_per_node


def check_memory(run, lab):
    """Each memory is on the node that its own words mean, at each moment."""
    for what, field in MEMORY.items():
        asked = run.row[field]
        if not asked:
            continue
        proofs = [proof for proof in run.proofs if proof["what"] == what]
        seen = {proof["when"] for proof in proofs}
        run.demand(seen >= MOMENTS, f"{what}: proven {sorted(seen)}, not {sorted(MOMENTS)}")
        for proof in proofs:
            check_proof(run, lab, what, asked, proof)


def check_proof(run, lab, what, asked, proof):
    where = f"{what}, asked {asked}, {proof['when']}"
    run.demand(proof["asked"] == asked, f"{where}: the record says {proof['asked']}")
    run.demand(proof["method"] == "move-pages", f"{where}: by {proof['method']}")
    pages = {int(node): count for node, count in proof["by_node"].items()}
    proven = sum(pages.values())
    run.demand(proven > 0, f"{where}: no page is proven")
    if not what.endswith("rings"):
        whole = proof["pages"] == proven and proof["unproven_pages"] == 0
        run.demand(whole, f"{where}: {proven} of {proof['pages']} pages are proven")
    if what == "load-buffer":
        due = -(-int(run.row["load_bytes"]) // proof["page_bytes"])
        run.demand(proof["pages"] == due, f"{where}: {proof['pages']} pages, not {due}")
        check_spread(run, lab, where, asked, pages)
    elif lab.node(asked) is not None:
        check_single(run, lab.node(asked), where, pages, proof)


def check_single(run, node, where, pages, proof):
    run.demand(set(pages) == {node}, f"{where}: pages by node {pages}, not all on {node}")
    told = proof["resolved_node"]
    run.demand(told == node, f"{where}: resolved to {told}, not {node}")


def check_spread(run, lab, where, asked, pages):
    """Of the load's memory: where its policy wants it."""
    policy, _, of = asked.partition(":")
    if policy == "interleave":
        # In turn: with two nodes half each, give or take the page that is left over.
        even = set(pages) == {0, 1} and abs(pages[0] - pages[1]) <= 1
        run.demand(even, f"{where}: pages by node {pages} are not in turn")
    elif policy == "bind":
        run.demand(set(pages) <= {int(node) for node in of.split(",")}, f"{where}: {pages}")
    elif policy == "preferred":
        node = lab.node(of)
        run.demand(set(pages) == {node}, f"{where}: {pages}, with room on {node}")
    elif policy == "any":
        # First touch, by threads that are pinned.
        node = lab.node(run.row["load_threads"])
        run.demand(node is None or set(pages) == {node}, f"{where}: {pages}, touched on {node}")
    else:
        node = lab.node(asked)
        run.demand(set(pages) == {node}, f"{where}: pages by node {pages}, not all on {node}")


def check_threads(run, lab):
    """As many threads of each role as asked for, each where its own words mean."""
    due = {
        "client": int(run.row["threads"]),
        "worker": int(run.row["workers"]),
        "load": int(run.row["load_thread_count"] or 0),
    }
    for role, field in THREADS.items():
        threads = [thread for thread in run.threads if thread["role"] == role]
        run.demand(len(threads) == due[role], f"{len(threads)} {role} threads, not {due[role]}")
        for thread in threads:
            check_thread(run, lab, f"{role} {thread['thread']}", run.row[field], thread)
    own = [t["asked_cpus"] for t in run.threads if t["role"] != "load" and t["asked_cpus"]]
    run.demand(len(own) == len(set(own)), f"two of the threads share a CPU: {own}")


def check_thread(run, lab, name, asked, thread):
    cpus = {seen["cpu"]: seen["samples"] for seen in thread["seen"]}
    run.demand(sum(cpus.values()) > 0, f"{name}: never seen")
    node = lab.node(asked)
    if node is None:
        return
    nodes = {lab.node_of_cpu(cpu) for cpu in cpus}
    run.demand(nodes == {node}, f"{name}, asked {asked}: seen on CPUs {sorted(cpus)}")
    told = {seen["node"] for seen in thread["seen"]}
    run.demand(told == {node}, f"{name}, asked {asked}: said to be on {sorted(told)}")
    run.demand(thread["resolved_node"] == node, f"{name}: resolved to {thread['resolved_node']}")
