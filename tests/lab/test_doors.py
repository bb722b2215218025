"""Who may come in: this host, this origin, this cookie, each exactly; without workers, for nothing is asked."""

import socket
import sys

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from dalembert.errors import DalembertError, MissingExtra
from dalembert.lab.application import Lab
from dalembert.lab.doors import Keys, own_policy, result_policy
from dalembert.lab.server import check_extra, listening

KEYS = Keys(8123, "token-of-this-lab", "secret-of-this-lab")


@pytest.fixture(scope="module")
def application():
    return Lab(KEYS, "name = 'secret model'").application


@pytest.fixture
def visitor(application):
    """Somebody who has not opened the address yet."""
    return TestClient(application, base_url=KEYS.origin, follow_redirects=False)


@pytest.fixture
def owner(visitor):
    assert visitor.get(KEYS.address).status_code == 303
    return visitor


def test_the_token_becomes_a_cookie_and_leaves_the_address(visitor):
    answer = visitor.get(KEYS.address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{KEYS.cookie}={KEYS.secret};")
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
    assert KEYS.token not in cookie
    assert visitor.get("/").status_code == 200


@pytest.mark.parametrize("token", ["", "x", KEYS.token[:-1], KEYS.token + "x", KEYS.secret, "é", "%00"])
def test_a_wrong_token_opens_nothing(visitor, token):
    answer = visitor.get("/", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_two_labs_have_different_keys():
    assert len({key for one in (Keys(1), Keys(1)) for key in (one.token, one.secret)}) == 4


HOSTS = [
    "evil.example:8123",
    "localhost:8123",
    "127.0.0.1",
    "127.0.0.1:8124",
    "127.0.0.1:8123.",
    "[::1]:8123",
    "127.1:8123",
]


@pytest.mark.parametrize("host", HOSTS)
def test_another_name_of_this_machine_opens_nothing(owner, host):
    for path in ("/", "/lab.js", f"/?token={KEYS.token}", "/page/x"):
        answer = owner.get(path, headers={"host": host})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    closed(owner, {"host": host, "origin": KEYS.origin})


ORIGINS = [
    "http://evil.example",
    "null",
    "https://127.0.0.1:8123",
    "http://localhost:8123",
    "http://127.0.0.1:8124",
    "",
]


@pytest.mark.parametrize("origin", ORIGINS)
def test_another_origin_opens_nothing(owner, origin):
    assert owner.get("/", headers={"origin": origin}).status_code == 403
    closed(owner, {"origin": origin})


def test_a_line_needs_an_origin_and_the_cookie(owner, application):
    closed(owner, {})
    stranger = TestClient(application, base_url=KEYS.origin)
    closed(stranger, {"origin": KEYS.origin})
    for cookie in ("", KEYS.cookie, f"{KEYS.cookie}=", f"{KEYS.cookie}={KEYS.token}", f"other={KEYS.secret}", "a=\x01"):
        closed(stranger, {"origin": KEYS.origin, "cookie": cookie})
    assert stranger.get("/page/x").status_code == 403
    assert owner.get("/page/x").status_code == 404


OTHERS = ['theirs={"a": 1}', "their cookie", "theirs=é", "=", 'theirs="', "a,b=c", f"{KEYS.cookie}=older"]


@pytest.mark.parametrize("other", OTHERS)
def test_cookies_of_other_servers_do_not_hide_ours(application, other):
    """A browser sends the cookies of all ports of a host, in any form, to each of them."""
    ours = f"{KEYS.cookie}={KEYS.secret}"
    for cookie in (f"{other}; {ours}", f"{ours}; {other}", f"{other};{ours};{other}"):
        visitor = TestClient(application, base_url=KEYS.origin, headers={"cookie": cookie.encode()})
        assert visitor.get("/page/x").status_code == 404
    for cookie in (other, f"{other}; x{ours}", f'{other}; theirs="{ours}'):
        visitor = TestClient(application, base_url=KEYS.origin, headers={"cookie": cookie.encode()})
        assert visitor.get("/page/x").status_code == 403


def closed(client, headers):
    """See that a line is not opened."""
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"ws://{KEYS.host}/talk", headers=headers):
        pass


PATHS = [
    "/..%2f..%2fetc%2fpasswd",
    "/%2e%2e/doors.py",
    "/lab.html",
    "/doors.py",
    "//etc/passwd",
    "/page/../x",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_to_a_file(owner, path):
    answer = owner.get(path)
    assert answer.status_code in {404, 403}
    assert b"root:" not in answer.content
    assert b"class Doors" not in answer.content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_one_can_only_read(owner, method):
    assert owner.request(method, "/").status_code == 405


def test_what_a_stranger_sees_has_no_secret_and_runs_only_our_scripts(visitor):
    for path in ("/", "/lab.js", "/editor.js", "/findings.js", "/lab.css"):
        answer = visitor.get(path)
        assert answer.status_code == 200
        assert "secret model" not in answer.text
        assert not {KEYS.token, KEYS.secret} & set(answer.text.split())
        policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
    page = visitor.get("/").text
    assert page.count("<script") == page.count('<script type="module" src="/') == 1
    assert "style=" not in page
    assert " on" not in [part[:3] for part in page.split("<") if part.startswith(" on")]


def test_no_policy_lets_text_become_script():
    for policy in (own_policy(KEYS), result_policy(["sha256-a"]), result_policy([])):
        scripts = next(part for part in policy.split("; ") if part.startswith("script-src "))
        assert "unsafe" not in scripts
        assert "http" not in scripts
        assert "*" not in policy
    assert "sandbox allow-scripts allow-downloads" in result_policy([])
    assert "allow-same-origin" not in result_policy([])


def test_without_the_packages_one_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtra, match=r"needs the package uvicorn.* pip install 'dalembert\[lab\]'"):
        check_extra()
    monkeypatch.undo()
    check_extra()


def test_the_address_is_open_as_soon_as_it_is_known():
    with listening(0) as line, socket.create_connection(line.getsockname()):
        pass


def test_a_port_that_is_taken_is_said_so():
    with listening(0) as line:
        assert line.getsockname()[0] == "127.0.0.1"
        with pytest.raises(DalembertError, match=r"cannot listen on port .* give another by --port"):
            listening(line.getsockname()[1])
