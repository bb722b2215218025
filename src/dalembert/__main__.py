"""``python -m dalembert`` is the command ``dalembert``."""

import sys

from dalembert.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
