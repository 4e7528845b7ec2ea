# The stored tables: those of config/config.yaml whose folder holds any.


def files_in(folder):
    return sorted(str(path) for path in Path(folder).glob("*.csv*"))


TABLES = {name: table for name, table in config["tables"].items() if files_in(table["folder"])}


def folder(name):
    return TABLES[name]["folder"]


def has_runs(name):
    return Path(folder(name), "runs.csv.gz").exists()


wildcard_constraints:
    table="|".join(TABLES),
