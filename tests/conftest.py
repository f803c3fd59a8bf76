"""What the tests of the kit share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # so that tests import their helpers by name, whatever the import mode
