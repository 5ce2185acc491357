"""`python -m l2p_search`."""

import sys

from l2p_search.cli.main import main

sys.exit(main())
