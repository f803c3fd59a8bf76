"""What `fencepost check` writes, in the folder of its results. Nothing of Spark is imported here."""

from fencepost.contract.folder import FolderLayout

VERDICT, PAGE = "verdict.json", "index.html"
TABLES, WITNESSES, QUARANTINE = "tables", "witnesses", "quarantine"
DESCRIPTION = "tables.json"
CHECK = FolderLayout("check", "--results", (VERDICT, PAGE), trees=(TABLES, WITNESSES, QUARANTINE))
