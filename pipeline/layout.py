"""What `fencepost check` writes, in the folder of its results. Nothing of Spark is imported here."""

from fencepost.contract.folder import Layout

VERDICT, PAGE = "verdict.json", "index.html"
TABLES, WITNESSES, QUARANTINE = "tables", "witnesses", "quarantine"
DESCRIPTION = "tables.json"
CHECK = Layout("check", "--results", (VERDICT, PAGE), trees=(TABLES, WITNESSES, QUARANTINE))
