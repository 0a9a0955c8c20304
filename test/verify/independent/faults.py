"""The catalogue of faults. A fault is either a change of the complete response (`after`), a stop before the
operation runs (`before`), or only a name that operations.py and provider.py check."""
import json
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, Callable

OPS = ["get-shift", "update-shift", "delete-shift", "assign", "unassign-put", "unassign-delete",
       "lookup", "create", "outlets", "roles", "registry"]
A, B = {"variant": ["a"]}, {"variant": ["b"]}
REQUIRED = ["get-shift", "update-shift", "delete-shift", "assign", "lookup", "create", "outlets", "roles"]
NEEDS = {"unassign-put": {"unassign": ["put", "both"]}, "unassign-delete": {"unassign": ["delete", "both"]},
         "registry": {"registry": ["offered", "paged"]}}
PAGED, UUIDS = {"registry": ["paged"]}, {"ids": ["uuid"]}
BODY, FULL = {"ack": ["minimal", "full"]}, {"ack": ["full"]}
DROP = object()


@dataclass
class Answer:
    status: int
    data: Any = None
    headers: dict = field(default_factory=dict)
    type: str | None = "application/json"
    raw: bytes | None = None
    empty: bool = False
    stop: str | None = None
    length: int | None = None


@dataclass
class Fault:
    name: str
    about: str
    applies: dict
    before: Callable | None = None
    after: Callable | None = None


FAULTS: dict[str, Fault] = {}


def add(name, about, applies=None, before=None, after=None):
    assert name not in FAULTS, name
    FAULTS[name] = Fault(name, about, dict(applies or {}), before, after)


# --- changes of a complete response ---

def good(op, answer):
    return 200 <= answer.status < 300 and not answer.empty


def on(ops, change):
    """Change the response of these operations, if it is a success with a body."""
    def after(op, request, answer):
        if op in ops and good(op, answer):
            change(answer)
    return after


def shifts(change):
    def each(answer):
        if isinstance(answer.data, dict) and "startTime" in answer.data:
            change(answer.data)
    return on(("get-shift", "update-shift"), each)


def candidates(change, ops=("lookup", "create")):
    def each(answer):
        for row in answer.data if isinstance(answer.data, list) else [answer.data]:
            change(row)
    return on(ops, each)


def entries(change):
    return on(("registry",), lambda answer: [change(row) for row in answer.data["candidates"]])


def put(key, value):
    """Set one field: to a value, to what a function makes of the old one, or drop it."""
    def change(row):
        if value is DROP:
            row.pop(key, None)
        else:
            row[key] = value(row.get(key)) if callable(value) else value
    return change


def status(op, code, empty=False, data=None):
    def after(at, request, answer):
        if at == op and 200 <= answer.status < 300:
            answer.status = code
            if empty:
                answer.empty, answer.data = True, None
            elif data is not None:
                answer.empty, answer.data = False, data
    return after


def stop(op, how):
    return lambda at, request: Answer(500, stop=how) if at == op else None


def move(op, code, place):
    return lambda at, request: Answer(code, empty=True, headers={"Location": place(request)}) if at == op else None


def as_raw(change):
    def each(answer):
        answer.raw = change(answer)
    return each


def every(count, ops, change):
    """Change every nth success of each of these operations."""
    seen = Counter()
    def after(op, request, answer):
        if op in ops and good(op, answer):
            seen[op] += 1
            if seen[op] % count == 0:
                change(request, answer)
    return after


def become(answer, other):
    answer.__dict__.update(other.__dict__)


def refuse(op, code, when=lambda request, answer: True):
    """Refuse these responses, in the style of the provider."""
    def after(at, request, answer):
        if at == op and when(request, answer):
            become(answer, request.provider.error(SimpleNamespace(status=code, message="refused", headers={})))
    return after


def encode(data):
    return json.dumps(data, ensure_ascii=False).encode("utf-8")


def encoded(answer):
    return encode(answer.data)


def needs(op, more=None):
    return {**NEEDS.get(op, {}), **(more or {})}


def number_of(text):
    return sum(ord(c) for c in str(text)) + 100000


# --- access ---

def access_faults():
    for op in OPS:
        add(f"no-auth-{op}", f"{op}: accepts a missing and a wrong token", needs(op))
        add(f"no-tenant-check-{op}", f"{op}: the provider id of the request is not looked at", needs(op))
    add("any-token-accepted", "any Bearer token passes; no token gives 401")
    add("wrong-scheme-accepted", "the token passes under any scheme (Basic, Token)")
    add("bare-token-accepted", "the token passes without any scheme")
    add("token-prefix-accepted", "the first eight characters or more of the token pass")
    add("token-suffix-ignored", "the token followed by more characters passes")
    add("token-case-ignored", "letters of the token are compared without their case")
    add("other-tenants-token-accepted", "the other organisation's token passes for every provider id")
    add("unknown-provider-accepted", "an unknown provider id is served as the token's own organisation")
    add("other-provider-served", "the other organisation's provider id is served as the token's own organisation")
    add("missing-provider-accepted", "no provider id is served as the token's own organisation", {"routing": ["header"]})
    for code in (400, 500):
        add(f"unknown-provider-{code}", f"an unknown provider id gives {code}")
    for code in (403, 404, 500):
        add(f"no-token-{code}", f"a request without a token gives {code}")
    add("lookup-before-token", "an unknown shift gives 404 without a token")
    add("rows-name-another-tenant", "each row of a list names another organisation",
        after=candidates(put("providerId", str(uuid.uuid4())), ("lookup", "outlets", "roles")))
    add("no-token-redirect", "a request without a token is sent to /login by 302")
    add("tenant-kept", "no provider id is served as the organisation of the request before", {"routing": ["header"]})
    add("no-token-200-login-page", "a request without a token gets a login page with 200")
    add("no-token-200-error-body", "a request without a token gets 200 with an error object")


# --- status codes ---

def status_faults():
    done = {"success": True}
    for op, code in [("get-shift", 201), ("assign", 201), ("assign", 202), ("create", 202), ("lookup", 201),
                     ("lookup", 206), ("outlets", 203), ("roles", 202), ("registry", 206), ("update-shift", 202),
                     ("unassign-put", 202), ("unassign-delete", 202)]:
        applies = {**needs(op), **(BODY if op == "assign" else {})}
        add(f"status-{op}-{code}", f"{op}: succeeds with {code}", applies, after=status(op, code))
    add("status-delete-shift-200", "delete-shift: 200 with a body in place of 204",
        after=status("delete-shift", 200, data=done))
    add("status-delete-shift-202", "delete-shift: 202 with an empty body", after=status("delete-shift", 202, True))
    add("status-unassign-delete-200", "unassign by DELETE: 200 with a body in place of 204",
        NEEDS["unassign-delete"], after=status("unassign-delete", 200, data=done))
    add("unassign-delete-odd-body", "unassign by DELETE: 200 with a body that is no acknowledgement",
        {"unassign": ["delete"]}, after=status("unassign-delete", 200, data={"removed": ["row"], "affected": 1}))
    add("status-outlets-204", "outlets: 204 without the list", after=status("outlets", 204, True))
    add("status-roles-204", "roles: 204 without the list", after=status("roles", 204, True))
    add("status-create-204", "create: 204 without the candidate", after=status("create", 204, True))
    add("unknown-shift-200-error", "an unknown shift gives 200 with an error object")
    add("unknown-shift-200-null", "an unknown shift gives 200 with null")
    add("invalid-create-200-error", "a refused create gives 200 with an error object")


# --- fields of a wrong type or without a value ---

def type_faults():
    rows = [
        ("shift-id-number", "the shift's id is a number", {}, put("id", number_of)),
        ("outlet-id-number-in-shift", "the shift's outletId is a number", {}, put("outletId", number_of)),
        ("role-id-number-in-shift", "the shift's roleId is a number", {}, put("roleId", number_of)),
        ("slots-string", "slots is a string", A, put("slots", str)),
        ("slots-fraction", "slots is not whole", A, put("slots", lambda n: n + 0.5)),
        ("slots-null", "slots is null", A, put("slots", None)),
        ("slots-negative", "slots is below zero", A, put("slots", -1)),
        ("outlet-name-null-in-shift", "outletName is null", A, put("outletName", None)),
        ("positions-string", "numberOfPositions is a string", B, put("numberOfPositions", str)),
        ("positions-null", "numberOfPositions is null", B, put("numberOfPositions", None)),
        ("break-minutes-string", "breakMinutes is a string", B, put("breakMinutes", str)),
        ("break-as-duration", "breakMinutes is an ISO duration", B, put("breakMinutes", lambda n: f"PT{n}M")),
        ("break-in-seconds", "breakMinutes is in seconds", B, put("breakMinutes", lambda n: n * 60)),
        ("updated-in-year-one", "updatedAt is a default value", B, put("updatedAt", "0001-01-01T00:00:00Z")),
        ("description-number", "description is a number", B, put("description", 17)),
        ("status-upper-case", "status is written in capitals", B, put("status", str.upper)),
        ("status-one-l", "cancelled is written with one l", {"variant": ["b"], "deleted": ["cancelled"]},
         put("status", lambda text: text.replace("ll", "l") if text == "cancelled" else text)),
        ("status-unknown-value", "status has a value the contract does not list", B, put("status", "published")),
        ("status-number", "status is a number", B, put("status", 1)),
        ("created-at-epoch", "createdAt is a number of milliseconds", B, put("createdAt", 1767254400000)),
        ("assigned-object", "assignedCandidates is an object", {},
         put("assignedCandidates", lambda rows: {str(n): row for n, row in enumerate(rows)})),
        ("assigned-null-when-empty", "assignedCandidates is null when no candidate is assigned", {},
         put("assignedCandidates", lambda rows: rows or None)),
        ("assigned-ids-only", "assignedCandidates lists bare ids", {},
         put("assignedCandidates", lambda rows: [row.get("candidateId", row.get("id")) for row in rows])),
        ("assigned-twice", "each assigned candidate is listed twice", {},
         put("assignedCandidates", lambda rows: rows * 2)),
        ("positions-differ", "slots and numberOfPositions differ", B,
         lambda row: row.update({"slots": 7, "numberOfPositions": 7} | row)),
        ("assigned-count", "assignedCandidates is a count", {}, put("assignedCandidates", len)),
        ("assigned-number-as-number", "personalNumber of an assigned candidate is a number", B,
         put("assignedCandidates", lambda rows: [{**r, "personalNumber": as_number(r["personalNumber"])} for r in rows])),
        ("assigned-id-number", "the id of an assigned candidate is a number", {},
         put("assignedCandidates", lambda rows: [{**r, id_key(r): number_of(r[id_key(r)])} for r in rows])),
    ]
    for name, about, applies, change in rows:
        add(name, about, applies, after=shifts(change))
    for key, value, about in [("id", number_of, "number"), ("personalNumber", as_number, "number"),
                              ("phone", number_of, "number"), ("email", None, "null"), ("firstName", None, "null"),
                              ("phone", None, "null")]:
        add(f"candidate-{kebab(key)}-{about}", f"the candidate's {key} is {about}", after=candidates(put(key, value)))
    add("outlet-id-number", "an outlet's id is a number", after=candidates(put("id", number_of), ("outlets",)))
    add("outlet-address-object", "an outlet's address is an object",
        after=candidates(put("address", lambda text: {"street": text}), ("outlets",)))
    add("names-by-language", "names are objects by language",
        after=candidates(put("name", lambda text: {"sv": text}), ("outlets", "roles")))
    add("outlet-name-null", "an outlet's name is null", after=candidates(put("name", None), ("outlets",)))
    add("role-id-number", "a role's id is a number", after=candidates(put("id", number_of), ("roles",)))
    add("role-name-null", "a role's name is null", after=candidates(put("name", None), ("roles",)))
    add("success-string", "the assign response has success \"true\"", BODY, after=on(("assign",), success("true")))
    add("success-number", "the assign response has success 1", BODY, after=on(("assign",), success(1)))
    add("success-false", "assign works, and returns success false with 200", BODY, after=on(("assign",), success(False)))
    add("success-missing", "the assign response has no success", BODY, after=on(("assign",), success(DROP)))
    add("assigned-at-epoch", "assignedAt is a number of milliseconds", FULL,
        after=on(("assign",), lambda a: a.data.update(assignedAt=1767254400000)))
    add("assigned-at-local", "assignedAt is in a local format", FULL,
        after=on(("assign",), lambda a: a.data.update(assignedAt="31/12/2026 08:00")))
    add("assigned-at-without-zone", "assignedAt has no zone", FULL,
        after=on(("assign",), lambda a: a.data.update(assignedAt=without_zone(a.data["assignedAt"]))))


def success(value):
    return lambda answer: put("success", value)(answer.data)


def as_number(text):
    return int(text.replace("-", ""))


def id_key(row):
    return "candidateId" if "candidateId" in row else "id"


def kebab(key):
    return "".join("-" + c.lower() if c.isupper() else c for c in key)


def missing_faults():
    for key in ("id", "startTime", "endTime", "outletId", "roleId", "assignedCandidates"):
        add(f"shift-without-{kebab(key)}", f"the shift has no {key}", after=shifts(put(key, DROP)))
    for key in ("id", "personalNumber", "firstName", "lastName", "email", "phone"):
        add(f"candidate-without-{kebab(key)}", f"the candidate has no {key}", after=candidates(put(key, DROP)))
    for key in ("id", "name"):
        add(f"outlet-without-{key}", f"an outlet has no {key}", after=candidates(put(key, DROP), ("outlets",)))
        add(f"role-without-{key}", f"a role has no {key}", after=candidates(put(key, DROP), ("roles",)))
    add("shift-without-positions", "the shift has no number of positions", after=shifts(
        lambda row: [put(key, DROP)(row) for key in ("slots", "numberOfPositions")]))
    add("shift-without-outlet-name", "the shift has no outletName", A, after=shifts(put("outletName", DROP)))
    add("outlet-without-address", "an outlet has no address", after=candidates(put("address", DROP), ("outlets",)))
    add("created-without-id", "only the create response lacks the id", after=candidates(put("id", DROP), ("create",)))
    add("assigned-entry-without-id", "an assigned candidate is listed without its id", after=shifts(
        put("assignedCandidates", lambda rows: [{k: v for k, v in r.items() if k != id_key(r)} for r in rows])))
    add("assigned-entry-without-number", "an assigned candidate is listed without personalNumber", B, after=shifts(
        put("assignedCandidates", lambda rows: [{k: v for k, v in r.items() if k != "personalNumber"} for r in rows])))
    registry = NEEDS["registry"]
    for key in ("personalNumber", "id", "employeeNumber", "workHistory"):
        add(f"registry-without-{kebab(key)}", f"a registry entry has no {key}", registry, after=entries(put(key, DROP)))
    add("registry-employee-number-number", "a registry entry's employeeNumber is a number", registry,
        after=entries(put("employeeNumber", number_of)))
    add("registry-bank-details-string", "a registry entry's bankDetails is a string", registry,
        after=entries(put("bankDetails", "8000-2 123")))
    add("registry-bare-list", "the registry returns a list in place of an object", registry,
        after=on(("registry",), lambda a: setattr(a, "data", a.data["candidates"])))
    add("registry-ten-digits", "the registry writes personal numbers with ten digits", registry,
        after=entries(put("personalNumber", ten_digits)))
    add("registry-wrong-check-digit", "the registry writes another last digit of personal numbers", registry,
        after=entries(put("personalNumber", lambda n: n[:-1] + str((int(n[-1]) + 1) % 10))))
    add("registry-dates-by-day", "the registry writes dates as DD/MM/YYYY", registry,
        after=entries(put("workHistory", lambda rows: [{**row, "date": "31/01/2026"} for row in rows])))
    add("registry-swaps-numbers", "the registry gives each person the number of another", registry,
        after=on(("registry",), swap_numbers))
    add("registry-snake-case", "the registry writes field names in snake_case", registry,
        after=on(("registry",), lambda a: setattr(a, "data", {"candidates": [in_snake(r) for r in a.data["candidates"]]})))
    add("registry-other-ids", "registry ids are not the ids of the lookup", registry,
        after=entries(put("id", lambda old: str(uuid.uuid5(uuid.NAMESPACE_OID, old)))))


# --- bodies and connections ---

def body_faults():
    for op in ("get-shift", "lookup", "outlets"):
        add(f"empty-body-{op}", f"{op}: 200 with an empty body", after=on((op,), as_raw(lambda a: b"")))
        add(f"truncated-{op}", f"{op}: the JSON stops half-way",
            after=on((op,), as_raw(lambda a: encoded(a)[: len(encoded(a)) // 2])))
    for op in ("assign", "create"):
        add(f"empty-body-{op}", f"{op}: success with an empty body", BODY if op == "assign" else {},
            after=on((op,), as_raw(lambda a: b"")))
    for op in ("get-shift", "lookup"):
        add(f"html-label-{op}", f"{op}: JSON labelled text/html", after=on((op,), lambda a: setattr(a, "type", "text/html")))
    add("text-label-outlets", "outlets: JSON labelled text/plain",
        after=on(("outlets",), lambda a: setattr(a, "type", "text/plain")))
    add("single-quotes", "outlets: single quotes in place of JSON's double quotes",
        after=on(("outlets",), as_raw(lambda a: encoded(a).replace(b'"', b"'"))))
    add("ack-as-text", "assign: the word OK in place of JSON", BODY,
        after=on(("assign",), lambda a: a.__dict__.update(raw=b"OK", type="text/plain")))
    add("text-label-everywhere", "every operation: JSON labelled text/plain",
        after=on(OPS, lambda a: setattr(a, "type", "text/plain")))
    add("latin1-everywhere", "every operation: JSON in ISO 8859-1", after=on(
        OPS, as_raw(lambda a: encoded(a).decode().encode("latin-1", "replace"))))
    add("page-around-lists", "every list is the content of a page", after=on(
        ("lookup", "outlets", "roles"),
        lambda a: setattr(a, "data", {"content": a.data, "totalElements": len(a.data), "last": True})))
    add("wrapped-everywhere", "every body is the data of an object", after=on(OPS, wrap))
    add("no-content-type", "get-shift: JSON without a Content-Type",
        after=on(("get-shift",), lambda a: setattr(a, "type", None)))
    add("html-page-200", "get-shift: 200 with an HTML page", after=on(("get-shift",), html_page))
    for op in ("lookup", "outlets", "roles"):
        add(f"wrapped-{op}", f"{op}: the list is inside an object", after=on((op,), wrap))
    add("wrapped-shift", "get-shift: the shift is inside an object", after=on(("get-shift",), wrap))
    add("wrapped-created", "create: the candidate is inside an object", after=on(("create",), wrap))
    add("lookup-single-object", "lookup: one object in place of a list",
        after=on(("lookup",), lambda a: setattr(a, "data", a.data[0]) if a.data else None))
    for name, op in (("created", "create"), ("shift", "get-shift"), ("ack", "assign")):
        add(f"{name}-as-list", f"{op}: the object is inside a list", BODY if op == "assign" else {},
            after=on((op,), lambda a: setattr(a, "data", [a.data])))
    add("json-in-a-string", "get-shift: JSON encoded twice",
        after=on(("get-shift",), lambda a: setattr(a, "data", encoded(a).decode())))
    add("latin1-body", "lookup and create: JSON in ISO 8859-1", after=on(
        ("lookup", "create"), as_raw(lambda a: encoded(a).decode().encode("latin-1", "replace"))))
    add("length-too-large", "get-shift: Content-Length is larger than the body",
        after=on(("get-shift",), lambda a: setattr(a, "length", 20)))
    add("warning-before-json", "outlets: a warning of the runtime before the JSON", after=on(
        ("outlets",), as_raw(lambda a: b"<br />\n<b>Warning</b>:  Undefined array key\n" + encoded(a))))
    add("warning-everywhere", "every operation: a warning of the runtime before the JSON", after=on(
        OPS, as_raw(lambda a: b"<br />\n<b>Warning</b>:  Undefined array key\n" + encoded(a))))
    add("byte-order-mark", "outlets: a byte order mark before the JSON",
        after=on(("outlets",), as_raw(lambda a: b"\xef\xbb\xbf" + encoded(a))))
    for op in ("outlets", "roles"):
        add(f"list-as-object-{op}", f"{op}: the list is an object with the keys 1, 2, 3", after=on(
            (op,), lambda a: setattr(a, "data", {str(n + 1): row for n, row in enumerate(a.data)})))
    add("no-content-with-length", "delete-shift: 204 that announces a body", after=lambda op, r, a: setattr(
        a, "length", 2) if op == "delete-shift" and a.status == 204 else None)
    add("oversized", "get-shift: a response of 10 MB", after=on(
        ("get-shift",), lambda a: a.data.update(filler="x" * 10_000_000)))
    add("registry-too-long", "the registry is one response of 50,000 people", NEEDS["registry"], after=on(
        ("registry",), lambda a: setattr(a, "data", {"candidates": a.data["candidates"][:1] * 50_000})))
    add("idle-closed", "an idle connection is closed after 50 ms")
    add("snake-case-fields", "get-shift: field names in snake_case", after=on(("get-shift",), snake))
    for op in ("get-shift", "lookup", "assign", "delete-shift"):
        add(f"hang-{op}", f"{op}: sends no response", before=stop(op, "hang"))
    for op in ("get-shift", "assign", "create", "roles"):
        add(f"reset-{op}", f"{op}: the connection is reset", before=stop(op, "reset"))
    add("redirect-get-shift", "get-shift: 301 to the same path with a slash at its end",
        before=move("get-shift", 301, lambda r: r.path + "/"))
    add("redirect-outlets", "outlets: 302 to /login", before=move("outlets", 302, lambda r: "/login"))
    add("redirect-create", "create: 307 to another path", before=move("create", 307, lambda r: "/v2/candidates"))
    add("unavailable-outlets", "outlets: always 503",
        before=lambda op, r: Answer(503, {"error": "unavailable"}) if op == "outlets" else None)
    add("not-implemented-roles", "roles: always 501",
        before=lambda op, r: Answer(501, {"error": "not implemented"}) if op == "roles" else None)
    for op in REQUIRED:
        add(f"route-missing-{op}", f"{op}: the route does not exist", before=refusal(404, op))
    add("method-refused-update", "update-shift: 405", before=refusal(405, "update-shift"))
    add("update-refused", "update-shift: 409", before=refusal(409, "update-shift"))
    add("assign-needs-content-type", "assign and unassign: 415 without a Content-Type", before=lambda op, r: Answer(
        415, {"error": "unsupported media type"}) if op in ("assign", "unassign-put")
        and "Content-Type" not in r.headers else None)
    add("hire-unknown-fields-400", "create: 400 for a field that the minimal payload does not have")
    add("unassign-refused", "both forms of unassign: 405", before=refusal(405, "unassign-put", "unassign-delete"))
    add("truncated-now-and-then", "roles: every fifth JSON stops half-way", after=every(
        5, ("roles",), lambda r, a: setattr(a, "raw", encoded(a)[: len(encoded(a)) // 2])))
    add("refused-now-and-then", "roles: every fifth request gives 404", after=every(
        5, ("roles",), lambda r, a: refuse("roles", 404)("roles", r, a)))
    add("shorter-now-and-then", "outlets: every third list lacks its last entry",
        after=every(3, ("outlets",), lambda r, a: a.data.pop()))
    add("later-now-and-then", "get-shift: every third shift is an hour later", after=every(
        3, ("get-shift",), lambda r, a: a.data.update(
            {key: (moment(a.data[key]) + timedelta(hours=1)).isoformat() for key in ("startTime", "endTime")})))
    add("mixed-ack", "assign: every second acknowledgement is minimal", FULL,
        after=every(2, ("assign",), lambda r, a: setattr(a, "data", {"success": True})))
    add("lookup-lists-twice", "lookup: the candidate is listed twice",
        after=on(("lookup",), lambda a: a.data.extend(a.data[:1])))
    add("lookup-finds-two", "lookup: a second candidate has the same number", after=on(
        ("lookup",), lambda a: a.data.extend([{**row, "id": str(uuid.uuid4())} for row in a.data])))


def refusal(code, *ops):
    return lambda at, request: Answer(code, {"error": "refused"}) if at in ops else None


def swap_numbers(answer):
    rows = answer.data["candidates"]
    numbers = [row["personalNumber"] for row in rows]
    for row, number in zip(rows, numbers[1:] + numbers[:1]):
        row["personalNumber"] = number


def wrap(answer):
    answer.data = {"data": answer.data}


def html_page(answer):
    answer.raw, answer.type = b"<!doctype html><title>Scheduling</title><p>Welcome</p>", "text/html"


def in_snake(row):
    return {"".join("_" + c.lower() if c.isupper() else c for c in k): v for k, v in row.items()}


def snake(answer):
    answer.data = in_snake(answer.data)


# --- 5xx instead of 4xx ---

def crash_faults():
    for op in OPS[:6]:
        add(f"malformed-id-500-{op}", f"{op}: 500 for a shift id that is no UUID", needs(op, UUIDS))
        add(f"unknown-id-500-{op}", f"{op}: 500 for an unknown shift id", needs(op))
        if op not in ("delete-shift", "assign"):
            add(f"unknown-id-accepted-{op}", f"{op}: an unknown shift id is served as some shift", needs(op))
        if op in OPS[:3]:
            add(f"unknown-id-400-{op}", f"{op}: 400 for an unknown shift id")
        if op in OPS[:4]:
            add(f"malformed-id-accepted-{op}", f"{op}: a shift id that is no UUID is served as some shift", UUIDS)
    add("unknown-id-500", "500 for an unknown shift id, at every operation")
    add("long-id-500", "500 for an id of more than 255 characters")
    add("quote-in-id-500", "500 for an id with an apostrophe")
    add("long-name-500", "lookup: 500 for a long name")
    add("invalid-field-500-update", "update-shift: 500 for a time that cannot be read")
    add("malformed-json-accepted-update", "update-shift: malformed JSON changes nothing", {"empty-update": ["ok"]})
    add("malformed-json-accepted-create", "create: malformed JSON creates some candidate")
    add("empty-body-accepted-update", "update-shift: an empty body changes nothing", {"empty-update": ["ok"]})
    add("update-accepts-anything", "update-shift: success for a body that cannot be used", after=lambda op, r, a: become(
        a, Answer(204, empty=True)) if op == "update-shift" and a.status in (400, 422) else None)
    add("malformed-candidate-500-assign", "assign: 500 for a candidate id that is no UUID", UUIDS)
    add("unknown-candidate-500-assign", "assign: 500 for an unknown candidate")
    for op in ("update", "create"):
        add(f"malformed-json-500-{op}", f"{op}: 500 for malformed JSON")
        add(f"empty-body-500-{op}", f"{op}: 500 for an empty body")
        add(f"array-body-500-{op}", f"{op}: 500 for a JSON list in place of an object")
    add("null-field-500-create", "create: 500 when a required field is null")
    add("long-query-500", "lookup: 500 for a query of more than 500 characters")
    add("unicode-query-500", "lookup: 500 for characters outside ASCII in the query")
    add("hyphen-lookup-500", "lookup: 500 for a personal number with a hyphen", {"accepts": ["both", "hyphenated"]})
    add("no-query-500", "lookup: 500 without a query")
    add("not-found-500-lookup", "lookup: 500 without a match")
    add("repeat-delete-500", "delete-shift: 500 when the shift is deleted already")
    add("duplicate-create-500", "create: 500 for a personal number that exists already")
    add("wrong-method-500", "a method that a path does not have gives 500")
    add("unassign-absent-500", "unassign: 500 when the candidate is not assigned")


# --- acknowledged calls without effect ---

def effect_faults():
    for name, about in [
        ("assign-without-effect", "assign is acknowledged and not stored"),
        ("assign-duplicates-entry", "a repeated assign lists the candidate twice"),
        ("assign-repeat-409", "a repeated assign gives 409"),
        ("assign-replaces", "an assign drops those assigned before"),
        ("assign-stores-another", "an assign stores another candidate"),
        ("overbooks-by-one", "one candidate more than there are positions can be assigned"),
        ("unassign-changes-times", "an unassign moves the shift by an hour"),
        ("update-an-hour-later", "update-shift stores times an hour later"),
        ("update-keeps-duration", "update-shift moves the start, and keeps the duration in place of the end"),
        ("lookup-finds-nobody", "lookup finds no candidate"),
        ("lookup-by-century", "lookup compares the first two digits only"),
        ("create-without-contact", "create accepts a payload without email and phone"),
        ("other-variant-now-and-then", "every third read of a shift is in the other variant"),
        ("assign-changes-times", "an assign moves the shift by an hour"),
        ("assign-changes-positions", "an assign takes one from the number of positions"),
        ("assign-on-every-shift", "an assign shows on every shift of the organisation"),
        ("assign-unknown-candidate", "an unknown candidate can be assigned"),
        ("assign-unknown-shift", "assign to an unknown shift is acknowledged"),
        ("cancelled-shift-assignable", "a cancelled shift can be assigned"),
        ("unassign-without-effect", "unassign is acknowledged and changes nothing"),
        ("unassign-removes-all", "unassign removes all candidates"),
        ("unassign-removes-last", "unassign removes the candidate assigned last"),
        ("unassign-removes-first", "unassign removes the candidate assigned first"),
        ("unassign-removes-oldest-person", "unassign removes the assigned candidate who was created first"),
        ("delete-without-effect", "delete-shift gives 204 and the shift stays open"),
        ("delete-removes-another", "delete-shift cancels the shift and another one too"),
        ("update-not-stored", "update-shift stores nothing"),
        ("update-times-not-stored", "update-shift stores no times"),
        ("update-slots-not-stored", "update-shift stores no number of positions"),
        ("update-start-only", "update-shift stores the start and not the end"),
        ("update-crosses-fields", "update-shift stores the new start as the end and the new end as the start"),
        ("update-drops-offset", "update-shift keeps the clock time and drops the offset of a new time"),
        ("update-drops-assigned", "update-shift removes the assigned candidates"),
        ("update-changes-id", "update-shift gives the shift another id"),
        ("create-not-stored", "create returns a candidate and stores none"),
        ("create-stores-other-name", "create stores the last name as the first name"),
        ("create-drops-phone", "create stores no phone"),
        ("create-drops-last-digit", "create stores the personal number with another last digit"),
        ("create-encodes-twice", "create stores UTF-8 as Latin-1"),
        ("create-escapes-html", "create stores an apostrophe as an HTML entity"),
        ("create-loses-letters", "create stores ? in place of letters outside ASCII"),
        ("create-ends-at-emoji", "create stores a text up to its first character of four bytes"),
        ("create-cuts-phone", "create stores the first nine characters of the phone number"),
        ("create-number-unchecked", "create accepts a number with a wrong check digit or date"),
        ("update-stores-numbers", "update-shift stores a number as the start, and get-shift returns it"),
        ("update-rolls-dates-over", "update-shift takes 30 February for 2 March"),
        ("assign-at-once-overwrites", "of two assigns between two reads, the second one replaces the first"),
        ("create-twice-two-people", "two creates with the same personal number make two candidates"),
        ("create-replaces-person", "a create with a known personal number gives that candidate a new id"),
        ("create-accepts-anything", "create accepts any JSON, and returns strings for what is missing"),
        ("create-without-number", "create accepts a payload without personalNumber"),
        ("create-number-as-number", "create accepts personalNumber as a number"),
        ("create-without-names", "create accepts a payload without firstName and lastName"),
        ("candidate-id-changes", "the candidate's id differs on each lookup"),
        ("candidate-id-other-than-created", "create returns another id than lookup gives"),
        ("lookup-ignores-query", "lookup returns all candidates"),
        ("lookup-by-prefix", "lookup returns all whose number starts with the query"),
        ("lookup-by-date", "lookup compares the first eight digits only"),
        ("lookup-finds-first", "lookup returns the first candidate without a match"),
        ("lookup-no-match-204", "lookup returns 204 without a match"),
        ("lookup-no-match-null", "lookup returns 200 with null without a match"),
        ("outlets-of-another-tenant", "outlets lists the other organisation's too"),
        ("roles-of-another-tenant", "roles lists the other organisation's too"),
        ("candidates-of-another-tenant", "lookup finds the other organisation's candidates too"),
        ("shift-of-another-tenant", "get-shift reads the other organisation's shifts with the own token"),
        ("assign-on-another-tenant", "assign works on the other organisation's shifts with the own token"),
    ]:
        add(name, about)
    add("create-details-500", "create: 500 to a wrong type inside the details of a hire", {"full-check": ["on"]})
    add("create-details-stored", "create stores any type inside the details of a hire, and the registry returns it",
        {"full-check": ["off"]} | NEEDS["registry"])
    add("update-zero-is-one", "update-shift to no positions stores one")
    add("tenant-conflict-accepted", "two headers with different organisations are accepted if one fits the token",
        {"routing": ["header"]})
    add("tenant-conflict-first-wins", "of two headers with different organisations the first one is accepted",
        {"routing": ["header"], "header-name": ["either"]})
    add("unknown-shift-deleted-204", "deleting an unknown shift gives 204")
    add("update-stores-other-name", "update-shift keeps the number of positions under the other variant's name",
        )
    add("update-accepts-end-before-start", "update-shift stores an end before the start")
    add("update-unreadable-time-accepted", "update-shift returns success for a time it cannot read",
        )
    add("hyphen-lookup-misses", "lookup finds no candidate for the form with a hyphen", {"accepts": ["both"]})
    add("hyphen-lookup-400", "lookup refuses the form with a hyphen", {"accepts": ["both"]})
    add("lookup-no-match-400", "lookup without a match gives 400", after=refuse(
        "lookup", 400, lambda r, a: a.status == 404 or a.data == []))
    add("update-resets-omitted", "update-shift resets the description and the break", B)
    add("update-sets-created", "update-shift sets createdAt", B)
    add("status-stays-open", "status stays open when all positions are filled", B)
    add("mixed-not-found", "lookup without a match returns an empty list and 404 alternately")
    add("mixed-shapes", "get-shift returns one variant, update-shift the other", {"update": ["shift"]})
    registry = NEEDS["registry"]
    add("registry-of-another-tenant", "the registry holds the other organisation's candidates too", registry)
    add("registry-misses-created", "the registry leaves out candidates that were created by the API", registry)
    add("registry-loops", "the registry's next page is the same page for ever", PAGED)
    add("registry-skips-people", "with a limit, each registry page but the first lacks its first entry", PAGED)
    add("registry-page-repeats", "each registry page starts with the last entry of the page before", PAGED)


# --- times, ids and cross references ---

def value_faults():
    both = ("startTime", "endTime")
    def times(change):
        return shifts(lambda row: [put(key, change)(row) for key in both])
    add("time-without-zone", "the shift's times have no zone", after=times(without_zone))
    add("time-epoch", "the shift's times are seconds as numbers", after=times(lambda t: int(moment(t).timestamp())))
    add("time-epoch-string", "the shift's times are seconds in strings",
        after=times(lambda t: str(int(moment(t).timestamp()))))
    add("time-local-format", "the shift's times are written dd/mm/yyyy hh:mm",
        after=times(lambda t: moment(t).strftime("%d/%m/%Y %H:%M")))
    add("time-with-space", "the shift's times have a space in place of the T",
        after=times(lambda t: t.replace("T", " ")))
    add("time-short-offset", "the offset of the shift's times has no colon",
        after=times(lambda t: moment(t).strftime("%Y-%m-%dT%H:%M:%S%z")))
    add("time-without-seconds", "the shift's times have no seconds",
        after=times(lambda t: moment(t).isoformat(timespec="minutes")))
    add("time-rfc2822", "the shift's times are written as in e-mail",
        after=times(lambda t: moment(t).strftime("%a, %d %b %Y %H:%M:%S %z")))
    add("time-named-zone", "the shift's times have the name of the zone in place of the offset",
        after=times(lambda t: moment(t).replace(tzinfo=None).isoformat() + " Europe/Stockholm"))
    add("time-date-only", "the shift's times are dates", after=times(lambda t: t[:10]))
    add("time-impossible", "the shift's start is on 30 February",
        after=shifts(put("startTime", lambda t: f"{t[:4]}-02-30{t[10:]}")))
    add("time-null", "the shift's end is null", after=shifts(put("endTime", None)))
    add("time-empty", "the shift's end is an empty string", after=shifts(put("endTime", "")))
    add("end-before-start", "the shift ends before it starts", after=shifts(
        lambda row: row.update(startTime=row["endTime"], endTime=row["startTime"])))
    add("end-on-the-first-day", "the shift ends at the midnight before it starts", after=shifts(
        lambda row: row.update(endTime=row["startTime"][:10] + "T00:00:00Z")))
    add("end-equals-start", "the shift ends when it starts", after=shifts(
        lambda row: row.update(endTime=row["startTime"])))
    add("shift-with-another-id", "get-shift returns a shift with another id",
        after=on(("get-shift",), lambda a: a.data.update(id=str(uuid.uuid5(uuid.NAMESPACE_OID, a.data["id"])))))
    add("update-one-name", "update-shift refuses the other variant's name of positions")
    add("short-ids", "ids are short texts, which variant B allows", {"ids": ["short"], **B})
    add("shift-id-not-uuid", "the shift's id is no UUID", {**A, **UUIDS}, after=shifts(put("id", lambda i: "S-" + i[:8])))
    add("ack-other-candidate", "the assign response names another candidate", FULL,
        after=on(("assign",), lambda a: a.data.update(candidateId=str(uuid.uuid5(uuid.NAMESPACE_OID, "someone")))))
    add("ack-other-shift", "the assign response names another shift", FULL,
        after=on(("assign",), lambda a: a.data.update(shiftId=str(uuid.uuid5(uuid.NAMESPACE_OID, "something")))))
    add("outlet-not-listed", "the shift's outlet is not in outlets",
        after=shifts(put("outletId", lambda i: str(uuid.uuid5(uuid.NAMESPACE_OID, i)))))
    add("role-not-listed", "the shift's role is not in roles",
        after=shifts(put("roleId", lambda i: str(uuid.uuid5(uuid.NAMESPACE_OID, i)))))
    add("duplicate-outlet-ids", "two outlets have the same id",
        after=on(("outlets",), lambda a: a.data[-1].update(id=a.data[0]["id"])))
    add("duplicate-role-ids", "two roles have the same id",
        after=on(("roles",), lambda a: a.data[-1].update(id=a.data[0]["id"])))
    add("outlets-empty", "outlets is an empty list", after=on(("outlets",), lambda a: setattr(a, "data", [])))
    add("numbers-in-ten-digits", "personal numbers are returned with ten digits",
        after=candidates(put("personalNumber", ten_digits)))
    add("numbers-masked", "personal numbers are returned with the last four hidden",
        after=candidates(put("personalNumber", lambda n: n[:8] + "-XXXX")))
    add("every-fifth-invalid", "every fifth success with a body is null in place of its value", after=every(
        5, OPS, lambda r, a: setattr(a, "data", None)))


def ten_digits(number):
    return number.replace("-", "")[2:]


def without_zone(text):
    return moment(text).replace(tzinfo=None).isoformat()


def moment(text):
    return datetime.fromisoformat(text)


# --- error bodies ---

def error_faults():
    def failed(change):
        def after(op, request, answer):
            if 400 <= answer.status < 500:
                change(answer)
        return after
    add("error-label-lies", "error bodies are labelled JSON and are not",
        after=failed(not_json))
    for kind, form in (("empty", "terse"), ("as-text", "text"), ("as-html", "html"), ("as-json", "plain")):
        add(f"errors-{kind}", f"error bodies are of the style {form}", {"style": ["coded"]}, after=styled(form))
    add("problem-truncated", "problem details stop half-way", {"style": ["problem"]},
        after=failed(as_raw(lambda a: encoded(a)[: len(encoded(a)) // 2])))
    add("problem-wrong-status", "the status member of problem details is 200", {"style": ["problem"]},
        after=failed(lambda a: a.data.update(status=200)))
    add("problem-status-string", "the status member of problem details is a string", {"style": ["problem"]},
        after=failed(lambda a: a.data.update(status=str(a.status))))
    add("stack-trace-in-error", "error bodies hold a stack trace", after=failed(stack_trace))
    add("token-in-error", "error bodies repeat the token that was sent",
        after=lambda op, request, answer: echo_token(request, answer) if 400 <= answer.status < 500 else None)
    add("trace-in-error", "error bodies are JSON with a stack trace in a member", {"style": ["coded"]}, after=failed(
        lambda a: a.data.update(trace="java.lang.NullPointerException: null\n\tat com.example.Shifts.get(Shifts.java:88)\n")))
    add("sql-in-error", "error bodies hold a database statement", after=failed(
        lambda a: text_body(a, "ERROR: relation; SELECT * FROM shifts WHERE id = $1 -- pq: syntax error")))


def styled(form):
    def after(op, request, answer):
        if 400 <= answer.status < 500:
            told = SimpleNamespace(status=answer.status, message="refused", headers=answer.headers)
            become(answer, request.provider.error(told, form))
    return after


def not_json(answer):
    answer.raw, answer.type, answer.empty = b"<h1>Error</h1> not found", "application/json", False


def stack_trace(answer):
    text_body(answer, 'Traceback (most recent call last):\n  File "/srv/app/api/shifts.py", line 88, in get\n'
                      "    return rows[shift_id]\nKeyError: shift_id")


def echo_token(request, answer):
    text_body(answer, f"not allowed: {request.headers.get('Authorization', 'none')}")


def text_body(answer, text):
    """Use the style's own shape if it has one: only the text deviates."""
    answer.empty = False
    if isinstance(answer.data, dict) and "detail" in answer.data:
        answer.data["detail"] = text
    elif isinstance(answer.data, dict):
        answer.data["error"] = text
    else:
        answer.raw, answer.type = text.encode(), answer.type or "text/plain"


for define in (access_faults, status_faults, type_faults, missing_faults, body_faults, crash_faults,
               effect_faults, value_faults, error_faults):
    define()
