"""How the lab is started: on the loopback address, which nobody on another machine reaches."""

from __future__ import annotations

import socket
from collections.abc import Callable
from importlib import import_module
from typing import Final

from dalembert.errors import DalembertError, MissingExtra
from dalembert.lab.limits import MESSAGE_BYTES
from dalembert.lab.pool import check_machine

_NEEDED: Final = ("starlette", "uvicorn", "websockets")


def check_extra() -> None:
    """Say which package is missing, and how to get it."""
    for name in _NEEDED:
        try:
            import_module(name)
        except ImportError:
            raise MissingExtra(
                f"the lab needs the package {name}, which is not installed; install it with: "
                "pip install 'dalembert[lab]'."
            ) from None
    check_machine()


def listening(port: int) -> socket.socket:
    """Return a socket on the loopback address; port 0 takes any that is free.

    It listens at once: whoever opens the address as soon as it is printed waits, and is not refused.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port))
        found.listen()
    except OSError as fault:
        found.close()
        why = (fault.strerror or str(fault)).lower()
        raise DalembertError(f"the lab cannot listen on port {port}: {why}; give another by --port.") from None
    return found


def serve(model: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until it is interrupted; ``say`` gets the address to open."""
    check_extra()
    import uvicorn

    from dalembert.lab.application import Lab
    from dalembert.lab.doors import Keys

    with listening(port) as line:
        keys = Keys(line.getsockname()[1])
        settings = uvicorn.Config(
            Lab(keys, model).application,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="websockets-sansio",
            ws_max_size=MESSAGE_BYTES,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=2,
        )
        say(keys.address)
        uvicorn.Server(settings).run(sockets=[line])
