"""Pages within a page: frames of a notebook, and pages that are packed until somebody looks."""

from __future__ import annotations

import gzip
from base64 import b64encode

from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.style import STYLE

_LEVEL = 6
"""The highest level takes three times as long, for a hundredth of the size."""


def film_page(body: str) -> str:
    """Return the page of an animation."""
    return f"<!DOCTYPE html><meta charset='utf-8'><style>{STYLE}{FILM_STYLE} body {{ margin: 0; }}</style>{body}"


def gzipped(text: str) -> str:
    """Return a text in letters, packed; the same text is packed alike."""
    return b64encode(gzip.compress(text.encode(), compresslevel=_LEVEL, mtime=0)).decode()


def unpacked(page: str) -> str:
    """Return a page that unpacks another one: a tenth of its size, and still nothing to download."""
    packed = gzipped(page)
    return (
        "<!DOCTYPE html><meta charset='utf-8'><p>Unpacking ...</p><script>(async function () {"
        f"var raw = Uint8Array.from(atob('{packed}'), function (c) {{ return c.charCodeAt(0); }});"
        "var text = await new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream('gzip'))).text();"
        "document.open(); document.write(text); document.close(); })();</script>"
    )


def framed(page: str, title: str, *, fit: bool = True) -> str:
    """Return a page of its own inside a notebook, where its scripts and its names are nobody else's.

    It gets as high as it needs to be, or as high as a hand, with a bar to move it.
    """
    quoted = page.replace("&", "&amp;").replace('"', "&quot;")
    high = "this.style.height = this.contentDocument.body.offsetHeight + 12 + 'px'"
    look = "max-width: 680px; height: 480px; border: 0" if fit else "height: 36rem; border: 1px solid #8886"
    loaded = f' onload="{high}"' if fit else ""
    return f'<iframe srcdoc="{quoted}" style="width: 100%; {look}"{loaded} title="{title}"></iframe>'
