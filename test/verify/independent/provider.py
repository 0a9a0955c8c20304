"""An independent provider, written from the contract alone, to judge the verification kit. See README.md."""
import sys

sys.dont_write_bytecode = True
import argparse
import json
import random
import signal
import socket
import struct
import threading
import time
import traceback
from collections import deque
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from urllib.parse import unquote

from faults import FAULTS, OPS, Answer, encode
from operations import Operations, Refused, read_json
from state import published_numbers, two_tenants

BODY_LIMIT = 1 << 20
SOMEBODY = {"personalNumber": published_numbers()[-2], "firstName": "Kim", "lastName": "Provning", "email": "kim@example.com",
            "phone": "+46700000000"}
ROUTES = [
    ("shifts/*", {"GET": "get-shift", "PUT": "update-shift", "DELETE": "delete-shift"}),
    ("shifts/*/assign/*", {"PUT": "assign", "DELETE": "unassign-delete"}),
    ("shifts/*/unassign/*", {"PUT": "unassign-put"}),
    ("candidates", {"GET": "lookup", "POST": "create"}),
    ("candidates/registry", {"GET": "registry"}),
    ("outlets", {"GET": "outlets"}),
    ("roles", {"GET": "roles"}),
]
# Name, choices (the first is the default).
CHOICES = [
    ("variant", "a b"), ("routing", "path header"), ("not-found", "empty 404"), ("unassign", "both put delete"),
    ("ack", "full minimal none"), ("style", "plain problem html terse text coded"), ("update", "shift none success"),
    ("deleted", "404 410 cancelled"), ("numbers", "digits hyphenated"), ("ids", "uuid short"),
    ("full-check", "on off"), ("registry", "offered absent paged"), ("create-status", "201 200"),
    ("unassign-ack", "same minimal full none"), ("unassign-absent", "ok 404 409"),
    ("accepts", "both digits hyphenated"), ("luhn", "on off"), ("duplicate", "409 200"),
    ("validation", "400 422"), ("bad-id", "404 400 422"), ("bad-number", "none 400"), ("no-query", "400 all empty"),
    ("unknown-candidate", "404 422 409 400"), ("overbook", "refused allowed"), ("repeat-delete", "same 204 404 409"),
    ("update-names", "either own"), ("update-fields", "any all"), ("empty-update", "refused ok"),
    ("unknown-tenant", "403 404 401"), ("wrong-tenant", "403 401 404"), ("missing-tenant", "400 401 403 404"),
    ("header-name", "either x-provider-id x-platform-provider-id"), ("times", "offset z millis minutes"),
    ("content-type", "plain charset"), ("content-type-check", "off on"), ("extra", "off on"), ("long-query", "ok 414 400"),
    ("keep-alive", "on off"),
]
STATUSES = ("create-status", "validation", "bad-id", "unknown-candidate", "unknown-tenant", "wrong-tenant",
            "missing-tenant")


class Request:
    def __init__(self, method, target, headers, body, provider):
        self.method, self.headers, self.body, self.provider = method, headers, body, provider
        self.path, _, self.query = target.partition("?")
        self.provider_id, self.route, self.params = None, None, []

    def object(self, kind):
        has = self.provider.operations.has
        if self.provider.options.content_type_check == "on" and "json" not in self.headers.get("Content-Type", ""):
            raise Refused(415, "send application/json")
        if not self.body.strip():
            if has(f"empty-body-accepted-{kind}"):
                return {}
            raise Refused(500 if has(f"empty-body-500-{kind}") else 400, "the body is empty")
        try:
            value = read_json(self.body)
        except (ValueError, RecursionError):
            if has(f"malformed-json-accepted-{kind}"):
                return dict(SOMEBODY) if kind == "create" else {}
            raise Refused(500 if has(f"malformed-json-500-{kind}") else 400, "the body is no JSON") from None
        if not isinstance(value, dict):
            wrong = has(f"array-body-500-{kind}") and isinstance(value, list)
            raise Refused(500 if wrong else self.provider.options.validation, "the body is no JSON object")
        return value

    def loose_object(self):
        try:
            value = read_json(self.body)
        except (ValueError, RecursionError):
            raise Refused(400, "the body is no JSON") from None
        return value if isinstance(value, dict) else {}


class Provider:
    def __init__(self, options):
        self.options = options
        self.tenants = two_tenants(options.ids)
        self.operations = Operations(options, self.tenants)
        self.fault = FAULTS.get(options.fault)
        self.kept = None
        self.lock, self.stopping, self.recent = threading.RLock(), threading.Event(), deque()

    def answer(self, request):
        op = None
        try:
            with self.lock:
                self.limit_rate()
                op = self.find_route(request)
                tenant = self.tenant_of(op, request)
                answer = self.stopped(op, request) or self.run(op, tenant, request)
        except Refused as refused:
            answer = self.error(refused)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            answer = self.error(Refused(500, "unexpected"))
        if self.fault and self.fault.after:
            with self.lock:
                self.fault.after(op, request, answer)
        return answer

    def limit_rate(self):
        if not self.options.rate:
            return
        now = time.monotonic()
        while self.recent and self.recent[0] <= now - 1:
            self.recent.popleft()
        if len(self.recent) >= self.options.rate:
            raise Refused(429, "too many requests", {"Retry-After": "1"})
        self.recent.append(now)

    def find_route(self, request):
        """Set the provider id and the route's methods; return the operation, or None."""
        parts = request.path.split("/")[1:]
        if self.options.routing == "path":
            if len(parts) < 2 or parts[0] != "providers":
                return None
            request.provider_id, parts = unquote(parts[1]), parts[2:]
        else:
            names = ["X-Provider-Id", "X-Platform-Provider-Id"]
            if self.options.header_name != "either":
                names = [self.options.header_name]
            given = [request.headers[n] for n in names if n in request.headers]
            if len({each.lower() for each in given}) > 1 and not self.operations.has("tenant-conflict-first-wins") \
                    and not self.operations.has("tenant-conflict-accepted"):
                given = []
            if self.operations.has("tenant-conflict-accepted"):
                own = [t.provider_id for t in self.tenants if request.headers.get("Authorization") == f"Bearer {t.token}"]
                given.sort(key=lambda each: each.lower() not in own)
            request.provider_id = given[0] if given else self.kept if self.operations.has("tenant-kept") else None
            self.kept = request.provider_id
        for pattern, methods in ROUTES:
            wanted = pattern.split("/")
            if len(wanted) == len(parts) and all(part if w == "*" else w == part for w, part in zip(wanted, parts)):
                request.route = {m: op for m, op in methods.items() if self.offers(op)} or None
                request.params = [unquote(part) for w, part in zip(wanted, parts) if w == "*"]
                return (request.route or {}).get(request.method)
        return None

    def offers(self, op):
        return not (op == "unassign-put" and self.options.unassign == "delete"
                    or op == "unassign-delete" and self.options.unassign == "put"
                    or op == "registry" and self.options.registry == "absent")

    # --- caller and tenant ---

    def tenant_of(self, op, request):
        has = self.operations.has
        wanted = (request.provider_id or "").lower()
        addressed = next((t for t in self.tenants if t.provider_id == wanted), None)
        if has(f"no-auth-{op}"):
            return addressed or self.refuse_tenant(request)
        if has("lookup-before-token") and addressed and "Authorization" not in request.headers \
                and op in OPS[:6] and request.params[0] not in addressed.shifts:
            raise Refused(404, "no such shift")
        caller = self.caller(request.headers.get("Authorization", "").strip(), addressed)
        if not caller:
            self.refuse_caller()
        if has(f"no-tenant-check-{op}") or not addressed and has(
                "unknown-provider-accepted" if wanted else "missing-provider-accepted"):
            return caller
        if not addressed:
            self.refuse_tenant(request)
        if has("other-provider-served"):
            return caller
        if caller is not addressed and not has("other-tenants-token-accepted"):
            raise Refused(self.options.wrong_tenant, "this token is not for this provider id")
        return addressed

    def caller(self, header, addressed):
        has = self.operations.has
        scheme, _, token = header.partition(" ")
        token = token.strip()
        if has("bare-token-accepted") and not token:
            scheme, token = "bearer", scheme
        if not token or scheme.lower() != "bearer" and not has("wrong-scheme-accepted"):
            return None
        if has("any-token-accepted"):
            return addressed or self.tenants[0]
        return next((t for t in self.tenants if self.token_passes(token, t.token)), None)

    def token_passes(self, given, real):
        has = self.operations.has
        return (given == real
                or has("token-prefix-accepted") and len(given) >= 8 and real.startswith(given)
                or has("token-suffix-ignored") and given.startswith(real)
                or has("token-case-ignored") and given.lower() == real.lower())

    def refuse_caller(self):
        has = self.operations.has
        for code in (403, 404, 500):
            if has(f"no-token-{code}"):
                raise Refused(code, "no token")
        if has("no-token-redirect"):
            raise Refused(302, "log in", {"Location": "/login"})
        if has("no-token-200-login-page", "no-token-200-error-body"):
            raise Refused(200, "log in")
        raise Refused(401, "a Bearer token is required", {"WWW-Authenticate": "Bearer"})

    def refuse_tenant(self, request):
        if request.provider_id is None:
            raise Refused(self.options.missing_tenant, "the provider id is missing")
        for code in (400, 500):
            if self.operations.has(f"unknown-provider-{code}"):
                raise Refused(code, "no such provider id")
        raise Refused(self.options.unknown_tenant, "no active integration with this provider id")

    # --- responses ---

    def stopped(self, op, request):
        answer = self.fault.before(op, request) if self.fault and self.fault.before and op else None
        if answer and answer.status >= 400 and answer.data:
            raise Refused(answer.status, answer.data["error"])
        return answer

    def run(self, op, tenant, request):
        if op:
            return self.operations.run(op, tenant, request)
        if request.route:
            raise Refused(500 if self.operations.has("wrong-method-500") else 405, "the method is not allowed here",
                          {"Allow": ", ".join(request.route)})
        raise Refused(404, "no such path")

    def error(self, refused, style=None):
        status, text = refused.status, refused.message
        if status == 200 and self.operations.has("no-token-200-error-body"):
            return Answer(200, {"error": text})
        style = "html" if status == 200 else style or self.options.style
        title = HTTPStatus(status).phrase
        if style == "plain":
            return Answer(status, {"error": text}, refused.headers)
        if style in ("problem", "coded"):
            data = {"type": "about:blank", "title": title, "status": status, "detail": text}
            data |= {"code": title.lower().replace(" ", "_")} if style == "coded" else {}
            return Answer(status, data, refused.headers, "application/problem+json")
        if style == "terse":
            return Answer(status, None, refused.headers, empty=True)
        page = f"<!doctype html>\n<html><head><title>{status} {title}</title></head><body><h1>{title}</h1></body></html>\n"
        raw = page.encode() if style == "html" else f"{status} {title}\n".encode()
        return Answer(status, None, refused.headers, "text/html; charset=utf-8" if style == "html" else "text/plain", raw)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __getattr__(self, name):
        # The provider handles every method: the library would return 501 for an unknown one.
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)

    def serve(self):
        body = self.read_body()
        if body is None:
            return
        request = Request(self.command, self.path, self.headers, body, self.server.provider)
        answer = self.server.provider.answer(request)
        if answer.stop == "hang":
            self.server.provider.stopping.wait(900)
            self.close_connection = True
        elif answer.stop == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.server.resets.add(self.connection)
            self.close_connection = True
        else:
            self.send(answer)

    def read_body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            return self.read_chunks()
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if length < 0 or length > BODY_LIMIT:
            return self.give_up(400 if length < 0 else 413)
        return self.rfile.read(length)

    def read_chunks(self):
        body = b""
        while True:
            try:
                size = int(self.rfile.readline(200).split(b";")[0], 16)
            except ValueError:
                return self.give_up(400)
            if size < 0 or len(body) + size > BODY_LIMIT:
                return self.give_up(413)
            body += self.rfile.read(size)
            if size == 0:
                while self.rfile.readline(8000).strip():
                    pass
                return body
            self.rfile.readline(8)

    def give_up(self, status):
        self.close_connection = True
        self.send(self.server.provider.error(Refused(status, HTTPStatus(status).phrase)))

    def send(self, answer):
        headers, body = dict(answer.headers), b""
        if not answer.empty:
            body = answer.raw if answer.raw is not None else encode(answer.data)
            if answer.type:
                charset = "; charset=utf-8" if self.server.provider.options.content_type == "charset" else ""
                headers["Content-Type"] = answer.type + (charset if answer.type.endswith("json") else "")
        if answer.status != 204 or answer.length:
            headers["Content-Length"] = str(len(body) + (answer.length or 0))
        if answer.length or self.server.provider.options.keep_alive == "off":
            self.close_connection = True
        if self.close_connection:
            headers["Connection"] = "close"
        if self.command == "HEAD":
            body = b""
        lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}", f"Date: {formatdate(usegmt=True)}",
                 *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        if self.server.provider.operations.has("idle-closed"):
            self.connection.settimeout(0.05)
        try:
            self.wfile.write("\r\n".join(lines).encode("latin-1") + body)
        except OSError:
            self.close_connection = True
        if self.server.provider.options.verbose:
            print(f"{self.command} {self.path} -> {answer.status}", file=sys.stderr, flush=True)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads, block_on_close, request_queue_size = True, False, 128

    def __init__(self, provider, port):
        self.provider, self.resets = provider, set()
        super().__init__(("127.0.0.1", port), Handler)

    def server_bind(self):
        # The library's version resolves the host name, which may take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def shutdown_request(self, request):
        if request in self.resets:
            self.resets.discard(request)
            request.close()
        else:
            super().shutdown_request(request)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def read_options(args):
    parser = argparse.ArgumentParser(description=__doc__)
    for name, choices in CHOICES:
        parser.add_argument(f"--{name}", choices=choices.split(), default=choices.split()[0])
    parser.add_argument("--fault", default="none")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--rate", type=int, default=0, metavar="N", help="requests a second, then 429; 0 is no limit")
    parser.add_argument("--verbose", action="store_true", help="one line a request on stderr")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="pick every flag not given by chance (only correct ones)")
    parser.add_argument("--quiet", action="store_true", help="print nothing before the first line of flags")
    parser.add_argument("--list-faults", action="store_true")
    parser.add_argument("--list-flags", action="store_true")
    options = parser.parse_args(args)
    if options.shuffle is not None:
        shuffle(options, args)
    check_fault(parser, options)
    for name in STATUSES:
        key = name.replace("-", "_")
        setattr(options, key, int(getattr(options, key)))
    return options


def shuffle(options, args):
    """Variant A excludes short ids, and an assign without a body is outside the contract's table."""
    chance = random.Random(options.shuffle)
    given = {arg.split("=")[0] for arg in args}
    for name, choices in CHOICES:
        picked = chance.choice([c for c in choices.split() if (name, c) != ("ack", "none")])
        if f"--{name}" not in given:
            setattr(options, name.replace("-", "_"), picked)
    if options.variant == "a" and "--ids" not in given:
        options.ids = "uuid"


def check_fault(parser, options):
    if options.fault == "none":
        return
    fault = FAULTS.get(options.fault)
    if not fault:
        parser.error(f"no fault is named {options.fault}; --list-faults prints the names")
    for name, values in fault.applies.items():
        if getattr(options, name.replace("-", "_")) not in values:
            parser.error(f"fault {fault.name} needs --{name} {' or '.join(values)}")


def list_faults():
    for fault in FAULTS.values():
        print(json.dumps({"name": fault.name, "about": fault.about, "applies": fault.applies}))


def fixtures_of(tenant):
    shifts, people = list(tenant.shifts), list(tenant.candidates.values())
    return {"shiftId": shifts[0], "cancellableShiftId": shifts[1], "knownPersonalNumber": people[0].number,
            "knownCandidateId": people[0].id}


def announce(server):
    provider = server.provider
    own, other = provider.tenants
    print(json.dumps({
        "url": f"http://127.0.0.1:{server.server_port}", "providerId": own.provider_id, "token": own.token,
        "otherProviderId": other.provider_id, "otherToken": other.token, "fixtures": fixtures_of(own),
        "otherFixtures": fixtures_of(other), "fault": provider.options.fault,
        "options": {name: str(getattr(provider.options, name.replace("-", "_"))) for name, _ in CHOICES},
    }), flush=True)


def main():
    options = read_options(sys.argv[1:])
    if options.list_faults:
        return list_faults()
    if options.list_flags:
        return print(json.dumps({name: choices.split() for name, choices in CHOICES}))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    server = Server(Provider(options), options.port)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    if not options.quiet:
        announce(server)
    for line in sys.stdin:
        server.provider.stopping.set()
        server.provider = Provider(read_options(json.loads(line)))
        announce(server)
    server.provider.stopping.set()


if __name__ == "__main__":
    main()
