"""A scheduling provider in Python's standard library alone: python3 provider.py PORT [PLATFORM_URL PLATFORM_TOKEN]"""

import hmac
import json
import re
import sys
import threading
import time
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

PROVIDER_ID = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11"
PROVIDER_TOKEN = "provider-token-of-the-example"
OUTLETS = [{"id": str(uuid.uuid4()), "name": "Kajen", "address": "Kajgatan 1"}]
ROLES = [{"id": str(uuid.uuid4()), "name": "Waiter"}]
shifts, candidates, one_at_a_time = {}, {}, threading.RLock()


class Refused(Exception):
    def __init__(self, status, code, detail):
        self.status, self.body = status, {"type": "about:blank", "title": detail, "status": status, "code": code}


# --- the events (contract 6)


def tell(event, shift_id):
    """Sends a webhook; again after a failure, with the same traceId."""
    if len(sys.argv) < 4:
        return
    content = {"event": event, "providerId": PROVIDER_ID, "content": {"shiftId": shift_id}, "traceId": str(uuid.uuid4())}
    threading.Thread(target=deliver, args=[json.dumps(content).encode()], daemon=True).start()


def deliver(body):
    headers = {"Authorization": f"Bearer {sys.argv[3]}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{sys.argv[2]}/webhooks/scheduling-provider", body, headers)
    for seconds in [0, 5, 300, 1800, 7200]:
        time.sleep(seconds)
        try:
            return urllib.request.urlopen(request, timeout=5).close()
        except OSError:
            continue


# --- the operations (contract 4.2): each gets the parts of its path, the query and the body


def new_shift():
    start = datetime.now(timezone.utc).replace(minute=0, second=0, microsecond=0) + timedelta(days=7)
    shift = {
        "id": str(uuid.uuid4()), "startTime": start.isoformat(), "endTime": (start + timedelta(hours=8)).isoformat(),
        "outletId": OUTLETS[0]["id"], "outletName": "Kajen", "roleId": ROLES[0]["id"], "roleName": "Waiter",
        "slots": 2, "assignedCandidates": [],
    }
    shifts[shift["id"]] = shift
    tell("shift.create", shift["id"])
    return shift


def find_shift(shift_id):
    if shift_id not in shifts:
        raise Refused(404, "shift_not_found", "There is no such shift.")
    return shifts[shift_id]


def get_shift(shift_id, query, body):
    return 200, find_shift(shift_id)


def update_shift(shift_id, query, body):
    shift = find_shift(shift_id)
    try:
        start, end = (datetime.fromisoformat(body[name]).astimezone(timezone.utc) for name in ["startTime", "endTime"])
        slots = body["slots"]
        if start >= end or type(slots) is not int or not 0 <= slots <= 100:
            raise ValueError
    except (TypeError, KeyError, ValueError, OverflowError):
        raise Refused(400, "validation_failed", "startTime, endTime and slots are needed, and the end is after the start.")
    shift.update(startTime=start.isoformat(), endTime=end.isoformat(), slots=slots)
    tell("shift.update", shift_id)
    return 200, shift


def cancel_shift(shift_id, query, body):
    find_shift(shift_id)
    del shifts[shift_id]
    tell("shift.delete", shift_id)
    return 204, None


def assign(shift_id, candidate_id, query, body):
    shift, entry = find_shift(shift_id), {"candidateId": candidate_id}
    if candidate_id not in candidates:
        raise Refused(404, "candidate_not_found", "There is no such candidate.")
    if entry not in shift["assignedCandidates"]:
        if len(shift["assignedCandidates"]) >= shift["slots"]:
            raise Refused(409, "shift_full", "Every position is taken.")
        shift["assignedCandidates"].append(entry)
    return 200, {"success": True}


def unassign(shift_id, candidate_id, query, body):
    shift = find_shift(shift_id)
    shift["assignedCandidates"] = [each for each in shift["assignedCandidates"] if each["candidateId"] != candidate_id]
    return 200, {"success": True}


def find_candidates(query, body):
    number = query.get("personalNumber", [""])[0].replace("-", "")
    name = query.get("name", [""])[0].lower()
    by_name = [each for each in candidates.values() if name and name in f"{each['firstName']} {each['lastName']}".lower()]
    return 200, [each for each in candidates.values() if each["personalNumber"] == number] or by_name


def create_candidate(query, body):
    fields = ["personalNumber", "firstName", "lastName", "email", "phone"]
    if not isinstance(body, dict) or not all(isinstance(body.get(name), str) and body[name] for name in fields):
        raise Refused(400, "validation_failed", "personalNumber, names, email and phone are needed.")
    number = body["personalNumber"].replace("-", "")
    if not is_personal_number(number):
        raise Refused(422, "validation_failed", "The personal number is not one.")
    if any(each["personalNumber"] == number for each in candidates.values()):
        raise Refused(409, "candidate_exists", "The candidate is there already.")
    candidate = {"id": str(uuid.uuid4()), **{name: body[name] for name in fields}, "personalNumber": number}
    candidates[candidate["id"]] = candidate
    return 201, candidate


def is_personal_number(number):
    digits = [int(digit) * (2 - place % 2) for place, digit in enumerate(number[2:])] if number.isdecimal() else [1]
    day = f"{number[:6]}{int(number[6:8]) % 60:02}" if len(number) == 12 and number.isdecimal() else ""
    return bool(re.fullmatch(r"\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", day)) and sum(sum(divmod(d, 10)) for d in digits) % 10 == 0


SHIFT, SEAT = r"/shifts/([^/]+)", r"/([^/]+)"
ROUTES = [
    ("GET", SHIFT, get_shift),
    ("PUT", SHIFT, update_shift),
    ("DELETE", SHIFT, cancel_shift),
    ("PUT", f"{SHIFT}/assign{SEAT}", assign),
    ("PUT", f"{SHIFT}/unassign{SEAT}", unassign),
    ("GET", "/candidates", find_candidates),
    ("POST", "/candidates", create_candidate),
    ("GET", "/outlets", lambda query, body: (200, OUTLETS)),
    ("GET", "/roles", lambda query, body: (200, ROLES)),
]


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet

    def answer(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            with one_at_a_time:
                status, body = self.handle_call(raw)
        except Refused as refusal:
            status, body = refusal.status, refusal.body
        text = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status < 400 else "application/problem+json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_PUT = do_POST = do_DELETE = answer

    def handle_call(self, raw):
        url = urlsplit(self.path)
        if (self.command, url.path) == ("POST", "/test/shifts"):
            return 200, {"shiftId": new_shift()["id"]}
        token = self.headers.get("Authorization", "").encode()
        if not hmac.compare_digest(token, f"Bearer {PROVIDER_TOKEN}".encode()):
            raise Refused(401, "unauthorized", "The token is missing or wrong.")
        prefix = f"/providers/{PROVIDER_ID}"
        if not url.path.startswith(f"{prefix}/"):
            raise Refused(404, "provider_not_found", "The token is for another organisation.")
        for method, pattern, operation in ROUTES:
            found = re.fullmatch(pattern, url.path[len(prefix):])
            if found and method == self.command:
                return operation(*map(unquote, found.groups()), parse_qs(url.query), self.body_of(raw))
        raise Refused(404, "not_found", "There is no such path.")

    def body_of(self, raw):
        try:
            return json.loads(raw) if raw else None
        except ValueError:
            raise Refused(400, "validation_failed", "The body is not JSON.")

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Provider)
    print(f"http://127.0.0.1:{server.server_port} organisation {PROVIDER_ID} shift {new_shift()['id']}", flush=True)
    server.serve_forever()
