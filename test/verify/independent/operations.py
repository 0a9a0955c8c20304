"""The eleven operations on one organisation. `self.has(name)` returns whether that fault is on."""
import html
import json
import re
import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import parse_qs

from faults import OPS, Answer
from state import UUID_FORM, ZONE, digits_of, is_real_number, published_numbers

TIME_FORM = re.compile(r"^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d(:?\d\d)?)$")
CORE = ("personalNumber", "firstName", "lastName", "email", "phone")
TEXTS = ("address", "postCode", "city", "countryCode")
OBJECTS = {"emergencyContact": ("name", "phone", "relationship"), "bankDetails": ("clearingNumber", "accountNumber")}
PAGE = 2


class Refused(Exception):
    def __init__(self, status, message, headers=None):
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers or {}


class Operations:
    def __init__(self, options, tenants):
        self.options, self.tenants = options, tenants
        self.not_found_turn = self.reads = 0
        self.unread = {}
        self.invented = published_numbers()[-1]

    def has(self, *names):
        return self.options.fault in names

    def run(self, op, tenant, request):
        return getattr(self, op.replace("-", "_"))(tenant, request)

    # --- finding rows ---

    def shift_of(self, tenant, op, shift_id, cancelled=False):
        if self.has("long-id-500") and len(shift_id) > 255 or self.has("quote-in-id-500") and "'" in shift_id:
            raise Refused(500, "syntax error")
        if self.options.ids == "uuid" and not UUID_FORM.match(shift_id):
            if self.has(f"malformed-id-accepted-{op}"):
                return self.stand_in(tenant, shift_id)
            raise Refused(500 if self.has(f"malformed-id-500-{op}") else self.options.bad_id, "the shift id is no UUID")
        shift = tenant.shifts.get(shift_id) or tenant.shifts.get(shift_id.lower())
        if not shift and self.has("shift-of-another-tenant" if op == "get-shift" else
                                  "assign-on-another-tenant" if op == "assign" else "never"):
            shift = next((t.shifts[shift_id] for t in self.tenants if shift_id in t.shifts), None)
        if not shift and self.has(f"unknown-id-accepted-{op}"):
            return self.stand_in(tenant, shift_id)
        if not shift:
            code = next((code for code in (500, 400) if self.has(f"unknown-id-{code}", f"unknown-id-{code}-{op}")), 404)
            raise Refused(code, "no such shift")
        if shift.cancelled and not cancelled:
            raise Refused({"404": 404, "410": 410, "cancelled": 409}[self.options.deleted], "the shift is cancelled")
        return shift

    def stand_in(self, tenant, shift_id):
        """Return a copy of some shift, which is not stored."""
        return replace(next(iter(tenant.shifts.values())), id=shift_id, cancelled=False, assigned=[])

    def candidate_of(self, tenant, op, candidate_id):
        if self.options.ids == "uuid" and not UUID_FORM.match(candidate_id):
            raise Refused(500 if self.has("malformed-candidate-500-assign") and op == "assign"
                          else self.options.bad_id, "the candidate id is no UUID")
        return tenant.candidate_of(candidate_id) or tenant.candidate_of(candidate_id.lower())

    # --- shapes ---

    def time(self, value, zone=ZONE):
        style = self.options.times
        if style == "minutes" and value.second == value.microsecond == 0:
            return value.astimezone(zone).isoformat(timespec="minutes")
        if style in ("z", "millis"):
            text = value.astimezone(tz=ZONE.utc).replace(tzinfo=None)
            return text.isoformat(timespec="milliseconds" if style == "millis" or value.microsecond else "seconds") + "Z"
        return value.astimezone(zone).isoformat(timespec="milliseconds" if value.microsecond else "seconds")

    def number(self, digits):
        return f"{digits[:8]}-{digits[8:]}" if self.options.numbers == "hyphenated" else digits

    def shift_view(self, tenant, shift, variant=None):
        variant = variant or self.options.variant
        view = {"id": shift.id, "startTime": self.time(shift.start), "endTime": self.time(shift.end),
                "outletId": shift.outlet["id"], "roleId": shift.role["id"]}
        ids = shift.assigned
        if self.has("assign-on-every-shift"):
            ids = [c for s in tenant.shifts.values() for c in s.assigned]
        status = ("cancelled" if shift.cancelled else
                  "filled" if len(ids) >= shift.positions and not self.has("status-stays-open") else "open")
        if variant == "a":
            view |= {"outletName": shift.outlet["name"], "roleName": shift.role["name"], "slots": shift.positions,
                     "assignedCandidates": [{"candidateId": i} for i in ids]}
            if self.options.deleted == "cancelled":
                view["status"] = status
        else:
            view |= {"breakMinutes": shift.break_minutes, "numberOfPositions": shift.positions,
                     "assignedCandidates": [self.entry(tenant, i) for i in ids], "status": status,
                     "description": shift.description, "createdAt": self.time(shift.created),
                     "updatedAt": self.time(shift.updated)}
        return view | shift.more | self.extra({"version": 3, "_links": {"self": {"href": f"/shifts/{shift.id}"}}})

    def entry(self, tenant, candidate_id):
        found = tenant.candidate_of(candidate_id)
        return {"id": candidate_id, "personalNumber": self.number(found.number if found else self.invented)}

    def candidate_view(self, person):
        return {"id": person.id, "personalNumber": self.number(person.number), "firstName": person.first,
                "lastName": person.last, "email": person.email, "phone": person.phone} | self.extra(
                    {"employeeNumber": person.employee, "active": True})

    def extra(self, fields):
        return fields if self.options.extra == "on" else {}

    # --- shifts ---

    def get_shift(self, tenant, request):
        shift_id = request.params[0]
        self.unread.pop(shift_id, None)
        try:
            shift = self.shift_of(tenant, "get-shift", shift_id, self.options.deleted == "cancelled")
        except Refused as refused:
            if refused.status == 404 and self.has("unknown-shift-200-error"):
                return Answer(200, {"error": refused.message})
            if refused.status == 404 and self.has("unknown-shift-200-null"):
                return Answer(200, None)
            raise
        self.reads += 1
        is_other = self.has("other-variant-now-and-then") and self.reads % 3 == 0
        return Answer(200, self.shift_view(tenant, shift, self.other_variant() if is_other else None))

    def other_variant(self):
        return {"a": "b", "b": "a"}[self.options.variant]

    def update_shift(self, tenant, request):
        shift = self.shift_of(tenant, "update-shift", request.params[0])
        body = request.object("update")
        change = self.read_update(shift, body)
        shown = dict(change)
        if self.has("update-not-stored"):
            change = {}
        if self.has("update-times-not-stored"):
            change = {k: v for k, v in change.items() if k == "positions"}
        if self.has("update-slots-not-stored", "update-stores-other-name"):
            change.pop("positions", None)
        if self.has("update-start-only"):
            change.pop("end", None)
        if self.has("update-crosses-fields"):
            change = {{"start": "end", "end": "start"}.get(k, k): v for k, v in change.items()}
        if self.has("update-stores-other-name") and "positions" in shown:
            shift.more["numberOfPositions" if self.options.variant == "a" else "slots"] = shown["positions"]
        if self.has("update-keeps-duration") and "start" in change:
            change["end"] = change["start"] + (shift.end - shift.start)
        for key, value in change.items():
            setattr(shift, key, value)
        if self.has("update-an-hour-later"):
            shift.start, shift.end = shift.start + timedelta(hours=1), shift.end + timedelta(hours=1)
        if self.has("update-resets-omitted"):
            shift.break_minutes, shift.description = 0, None
        shift.updated = datetime.now(ZONE).replace(microsecond=0)
        if self.has("update-sets-created"):
            shift.created = shift.updated
        if self.has("update-drops-assigned"):
            shift.assigned.clear()
        if self.has("update-changes-id"):
            del tenant.shifts[shift.id]
            shift.id = tenant.new_id("shift")
            tenant.shifts[shift.id] = shift
        return self.update_answer(tenant, shift, shown)

    def update_answer(self, tenant, shift, shown):
        if self.options.update == "none":
            return Answer(204, empty=True)
        if self.options.update == "success":
            return Answer(200, {"success": True})
        variant = self.other_variant() if self.has("mixed-shapes") else None
        view = self.shift_view(tenant, shift, variant)
        # A provider that does not store usually still returns what it was sent.
        if self.has("update-not-stored", "update-times-not-stored", "update-start-only"):
            view |= {f"{key}Time": self.time(shown[key]) for key in ("start", "end") if key in shown}
        if self.has("update-not-stored", "update-slots-not-stored") and "positions" in shown:
            view["slots" if self.options.variant == "a" else "numberOfPositions"] = shown["positions"]
        return Answer(200, view)

    def read_update(self, shift, body):
        own = "slots" if self.options.variant == "a" else "numberOfPositions"
        is_either = self.options.update_names == "either" and not self.has("update-one-name")
        names = ("slots", "numberOfPositions") if is_either else (own,)
        known = ("startTime", "endTime", *names)
        if self.has("update-one-name") and set(body) - set(known):
            raise Refused(self.options.validation, f"only {', '.join(known)} can be changed")
        if not any(name in body for name in known) and self.options.empty_update == "refused":
            raise Refused(self.options.validation, "nothing to change")
        if self.options.update_fields == "all" and not ("startTime" in body and "endTime" in body
                                                        and any(name in body for name in names)):
            raise Refused(self.options.validation, "startTime, endTime and the number of positions are required")
        change = {}
        for key in ("start", "end"):
            if f"{key}Time" in body:
                self.read_time(change, key, body[f"{key}Time"])
        for name in names:
            if name in body:
                change["positions"] = self.read_positions(shift, body[name])
        start, end = change.get("start", shift.start), change.get("end", shift.end)
        if end <= start and not self.has("update-accepts-end-before-start"):
            raise Refused(self.options.validation, "endTime is not after startTime")
        return change

    def read_time(self, change, key, text):
        if self.has("update-stores-numbers") and key == "start":
            change["more"] = {"startTime": text} if isinstance(text, (int, float)) and text is not True else {}
            if change["more"]:
                return
        if self.has("update-rolls-dates-over") and isinstance(text, str):
            text = text.replace("-02-30T", "-03-02T")
        try:
            if not isinstance(text, str) or not TIME_FORM.match(text):
                raise ValueError
            value = datetime.fromisoformat(text.upper().replace(",", "."))
            if not 1970 < value.year < 2200:
                raise ValueError
            value = value.replace(tzinfo=ZONE) if self.has("update-drops-offset") else value.astimezone(ZONE)
        except (ValueError, OverflowError):
            if self.has("update-unreadable-time-accepted"):
                return
            raise Refused(500 if self.has("invalid-field-500-update") else self.options.validation, f"{key}Time is no ISO 8601 time with a zone") from None
        change[key] = value

    def read_positions(self, shift, value):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 999 or value % 1 \
                or value == 0 and not self.has("update-zero-is-one"):
            raise Refused(self.options.validation, "the number of positions is no whole number from 1 to 999")
        if value < len(shift.assigned):
            raise Refused(409, "more candidates are assigned than there would be positions")
        return max(1, int(value))

    def delete_shift(self, tenant, request):
        try:
            shift = self.shift_of(tenant, "delete-shift", request.params[0], cancelled=True)
        except Refused as refused:
            if refused.status == 404 and self.has("unknown-shift-deleted-204"):
                return Answer(204, empty=True)
            raise
        if shift.cancelled:
            self.refuse_repeat_delete()
        elif not self.has("delete-without-effect"):
            shift.cancelled, shift.updated = True, datetime.now(ZONE).replace(microsecond=0)
            if self.has("delete-removes-another"):
                next(s for s in tenant.shifts.values() if s is not shift).cancelled = True
        return Answer(204, empty=True)

    def refuse_repeat_delete(self):
        choice = self.options.repeat_delete
        if choice == "same":
            choice = {"404": "404", "410": "410", "cancelled": "204"}[self.options.deleted]
        if self.has("repeat-delete-500"):
            choice = "500"
        if choice != "204":
            raise Refused(int(choice), "the shift is cancelled already")

    # --- assignments ---

    def assign(self, tenant, request):
        shift_id, candidate_id = request.params
        try:
            shift = self.shift_of(tenant, "assign", shift_id, self.has("cancelled-shift-assignable"))
        except Refused as refused:
            if refused.status == 404 and self.has("assign-unknown-shift"):
                return self.acknowledge(shift_id, candidate_id)
            raise
        person = self.candidate_of(tenant, "assign", candidate_id)
        if not person and not self.has("assign-unknown-candidate"):
            raise Refused(500 if self.has("unknown-candidate-500-assign") else self.options.unknown_candidate,
                          "no such candidate")
        self.store_assignment(tenant, shift, person.id if person else candidate_id)
        return self.acknowledge(shift.id, person.id if person and candidate_id not in person.aliases else candidate_id)

    def store_assignment(self, tenant, shift, candidate_id):
        if candidate_id in shift.assigned:
            if self.has("assign-repeat-409"):
                raise Refused(409, "the candidate is assigned already")
            if self.has("assign-duplicates-entry"):
                shift.assigned.append(candidate_id)
            return
        if self.has("assign-at-once-overwrites"):
            other, self.unread[shift.id] = self.unread.get(shift.id), candidate_id
            shift.assigned = [each for each in shift.assigned if each != other]
        if len(shift.assigned) >= shift.positions + self.has("overbooks-by-one") and self.options.overbook == "refused" \
                and not self.has("assign-replaces"):
            raise Refused(409, "all positions are filled")
        if self.has("assign-without-effect"):
            return
        if self.has("assign-replaces"):
            shift.assigned.clear()
        if self.has("assign-stores-another"):
            candidate_id = next((i for i in tenant.candidates if i != candidate_id and i not in shift.assigned), candidate_id)
        shift.assigned.append(candidate_id)
        shift.updated = datetime.now(ZONE).replace(microsecond=0)
        if self.has("assign-changes-times"):
            shift.start, shift.end = shift.start + timedelta(hours=1), shift.end + timedelta(hours=1)
        if self.has("assign-changes-positions"):
            shift.positions -= 1

    def acknowledge(self, shift_id, candidate_id):
        if self.options.ack == "none":
            return Answer(204, empty=True)
        answer = {"success": True}
        if self.options.ack == "full":
            answer |= {"shiftId": shift_id, "candidateId": candidate_id,
                       "assignedAt": self.time(datetime.now(ZONE).replace(microsecond=0))}
        return Answer(200, answer)

    def unassign_put(self, tenant, request):
        self.unassign(tenant, "unassign-put", *request.params)
        style = self.options.unassign_ack if self.options.unassign_ack != "same" else self.options.ack
        if style == "none":
            return Answer(204, empty=True)
        named = {"shiftId": request.params[0], "candidateId": request.params[1]} if style == "full" else {}
        return Answer(200, {"success": True} | named)

    def unassign_delete(self, tenant, request):
        self.unassign(tenant, "unassign-delete", *request.params)
        return Answer(204, empty=True)

    def unassign(self, tenant, op, shift_id, candidate_id):
        shift = self.shift_of(tenant, op, shift_id)
        person = self.candidate_of(tenant, op, candidate_id)
        own = person.id if person else candidate_id
        if own not in shift.assigned:
            if self.has("unassign-absent-500"):
                raise Refused(500, "not assigned")
            if not person or self.options.unassign_absent != "ok":
                raise Refused(int(self.options.unassign_absent) if person else self.options.unknown_candidate,
                              "the candidate is not assigned")
            return
        if self.has("unassign-without-effect"):
            return
        if self.has("unassign-removes-all"):
            shift.assigned.clear()
        elif self.has("unassign-removes-last"):
            shift.assigned.pop()
        elif self.has("unassign-removes-first"):
            shift.assigned.pop(0)
        elif self.has("unassign-removes-oldest-person"):
            shift.assigned.remove(next(each for each in tenant.candidates if each in shift.assigned))
        else:
            shift.assigned.remove(own)
        if self.has("unassign-changes-times"):
            shift.start, shift.end = shift.start + timedelta(hours=1), shift.end + timedelta(hours=1)
        shift.updated = datetime.now(ZONE).replace(microsecond=0)

    # --- candidates ---

    def lookup(self, tenant, request):
        if self.has("long-query-500") and len(request.query) > 500:
            raise Refused(500, "query too long")
        if self.options.long_query != "ok" and len(request.query) > 500:
            raise Refused(int(self.options.long_query), "the query is too long")
        query = self.read_query(request.query)
        if self.has("unicode-query-500") and any(ord(c) > 127 for values in query.values() for c in values[0]):
            raise Refused(500, "ascii codec")
        if self.has("long-name-500") and len(query.get("name", [""])[0]) > 100:
            raise Refused(500, "value too long")
        names = [key for key in ("name", "firstName", "lastName") if key in query]
        if "personalNumber" not in query and not names:
            return self.lookup_all(tenant)
        people = list(tenant.candidates.values())
        if self.has("candidates-of-another-tenant"):
            people = [c for t in self.tenants for c in t.candidates.values()]
        all_people = people
        if "personalNumber" in query:
            people = self.by_number(people, query["personalNumber"][0])
        for key in names:
            people = [c for c in people if query[key][0].casefold() in self.names_of(c, key).casefold()]
        if self.has("lookup-ignores-query"):
            people = all_people
        if not people and self.has("lookup-finds-first"):
            people = all_people[:1]
        return Answer(200, [self.looked_up(c) for c in people]) if people else self.no_match()

    def read_query(self, text):
        try:
            return parse_qs(text, keep_blank_values=True, max_num_fields=50)
        except ValueError:
            raise Refused(400, "too many query fields") from None

    def names_of(self, person, key):
        return {"firstName": person.first, "lastName": person.last}.get(key, f"{person.first} {person.last}")

    def lookup_all(self, tenant):
        if self.has("no-query-500"):
            raise Refused(500, "personalNumber of undefined")
        if self.options.no_query == "400":
            raise Refused(400, "give personalNumber or name")
        all_people = [self.looked_up(c) for c in tenant.candidates.values()]
        return Answer(200, all_people) if self.options.no_query == "all" else self.no_match()

    def by_number(self, people, text):
        if self.has("hyphen-lookup-500") and "-" in text:
            raise Refused(500, "invalid literal for int()")
        if self.has("hyphen-lookup-400") and "-" in text:
            raise Refused(400, "personalNumber has a wrong form")
        if self.has("hyphen-lookup-misses") and "-" in text or self.has("lookup-finds-nobody"):
            return []
        plain = text.replace("-", "")
        if self.has("lookup-by-prefix"):
            return [c for c in people if c.number.startswith(plain)]
        if self.has("lookup-by-century"):
            return [c for c in people if c.number[:2] == plain[:2]]
        if self.has("lookup-by-date") and len(plain) >= 8:
            return [c for c in people if c.number[:8] == plain[:8]]
        digits = digits_of(text)
        if digits and (self.options.accepts == "both" or ("-" in text) == (self.options.accepts == "hyphenated")):
            return [c for c in people if c.number == digits]
        if self.options.bad_number == "400":
            raise Refused(400, "personalNumber has a wrong form")
        return []

    def looked_up(self, person):
        view = self.candidate_view(person)
        if self.has("candidate-id-changes"):
            view["id"] = str(uuid.uuid4())
            person.aliases.add(view["id"])
        return view

    def no_match(self):
        if self.has("not-found-500-lookup"):
            raise Refused(500, "no match")
        if self.has("lookup-no-match-204"):
            return Answer(204, empty=True)
        if self.has("lookup-no-match-null"):
            return Answer(200, None)
        missing = self.options.not_found == "404"
        if self.has("mixed-not-found"):
            self.not_found_turn += 1
            missing = self.not_found_turn % 2 == 0
        if missing:
            raise Refused(404, "no candidate found")
        return Answer(200, [])

    def create(self, tenant, request):
        if self.has("create-accepts-anything"):
            body = {k: v for k, v in request.loose_object().items() if isinstance(v, str)}
            body = {"personalNumber": self.invented, "firstName": "", "lastName": "", "email": "", "phone": ""} | body
        else:
            body = request.object("create")
            try:
                self.check_create(body)
            except Refused as refused:
                if self.has("invalid-create-200-error") and refused.status < 500:
                    return Answer(200, {"error": refused.message})
                raise
        digits = digits_of(str(body.get("personalNumber", self.invented))) or self.invented
        known = next((c for c in tenant.candidates.values() if c.number == digits), None)
        if known and not self.has("create-twice-two-people"):
            return self.known_person(tenant, known)
        return self.store_candidate(tenant, digits, body)

    def known_person(self, tenant, known):
        if self.has("duplicate-create-500"):
            raise Refused(500, "duplicate key value")
        if self.has("create-replaces-person"):
            del tenant.candidates[known.id]
            known.id = tenant.new_id("candidate")
            tenant.candidates[known.id] = known
            return Answer(self.options.create_status, self.candidate_view(known))
        if self.options.duplicate == "409":
            raise Refused(409, "a candidate with this personalNumber exists")
        return Answer(200, self.candidate_view(known))

    def store_candidate(self, tenant, digits, body):
        first, last, phone = body.get("firstName", ""), body.get("lastName", ""), body.get("phone", "")
        if self.has("create-stores-other-name"):
            first = last
        if self.has("create-drops-phone"):
            phone = ""
        if self.has("create-encodes-twice"):
            first = first.encode().decode("latin-1")
        if self.has("create-escapes-html"):
            first = html.escape(first)
        if self.has("create-loses-letters"):
            first = first.encode("ascii", "replace").decode()
        if self.has("create-ends-at-emoji"):
            first = re.split(r"[\U00010000-\U0010ffff]", first)[0]
        if self.has("create-cuts-phone"):
            phone = phone[:9]
        if self.has("create-drops-last-digit"):
            digits = digits[:-1] + str((int(digits[-1]) + 1) % 10)
        more = {key: value for key, value in body.items() if key not in CORE}
        person = tenant.add_candidate(tenant.new_id("candidate"), digits, first, last, body.get("email", ""), phone, more)
        person.more["viaApi"] = True
        view = self.candidate_view(person)
        if self.has("create-not-stored"):
            del tenant.candidates[person.id]
        if self.has("candidate-id-other-than-created"):
            view["id"] = str(uuid.uuid4())
            person.aliases.add(view["id"])
        return Answer(self.options.create_status, view, {"Location": f"/candidates/{person.id}"})

    def check_create(self, body):
        if self.has("hire-unknown-fields-400") and set(body) - set(CORE):
            raise Refused(400, f"unrecognised field {min(set(body) - set(CORE))}")
        required = list(CORE)
        if self.has("create-without-number") and "personalNumber" not in body:
            required.remove("personalNumber")
        if self.has("create-without-names"):
            required = [key for key in required if key in body or key not in ("firstName", "lastName")]
        if self.has("create-without-contact"):
            required = [key for key in required if key in body or key not in ("email", "phone")]
        if self.has("null-field-500-create") and any(key in body and body[key] is None for key in required):
            raise Refused(500, "NoneType has no attribute strip")
        if self.has("create-number-as-number") and type(body.get("personalNumber")) is int:
            required.remove("personalNumber")
        for key in required:
            if not isinstance(body.get(key), str) or (not body[key].strip() and key not in ("email", "phone")):
                raise Refused(self.options.validation, f"{key} is missing or is no text")
        if "personalNumber" in required:
            self.check_number(body["personalNumber"])
        if self.options.full_check == "on":
            self.check_full(body)

    def check_number(self, text):
        digits = digits_of(text)
        wrong_form = self.options.accepts != "both" and ("-" in text) != (self.options.accepts == "hyphenated")
        if not digits or wrong_form or (
                self.options.luhn == "on" and not self.has("create-number-unchecked") and not is_real_number(digits)):
            raise Refused(self.options.validation, "personalNumber is no Swedish personal number")

    def check_full(self, body):
        """Fields of the full payload are optional, and have their type when they are there."""
        wrong = [key for key in TEXTS if key in body and not isinstance(body[key], str)]
        for key, parts in OBJECTS.items():
            value = body.get(key, {part: "" for part in parts})
            if not isinstance(value, dict) or any(not isinstance(value.get(part), str) for part in parts):
                wrong.append(key)
        documents = body.get("documents", {})
        expiry = documents.get("workPermitExpiry") if isinstance(documents, dict) else None
        kinds = {"citizenship": str, "workPermitRequired": bool, "passportVerified": bool,
                 "workPermitExpiry": (str, type(None))}
        if not isinstance(documents, dict) or any(
                key in documents and not isinstance(documents[key], kind) for key, kind in kinds.items()):
            wrong.append("documents")
        elif isinstance(expiry, str) and not re.match(r"\d{4}-\d\d-\d\d", expiry):
            wrong.append("documents.workPermitExpiry")
        if wrong:
            raise Refused(500 if self.has("create-details-500") else self.options.validation,
                          f"wrong type: {', '.join(wrong)}")

    # --- lists ---

    def outlets(self, tenant, request):
        tenants = self.tenants if self.has("outlets-of-another-tenant") else [tenant]
        return Answer(200, [dict(row) for t in tenants for row in t.outlets])

    def roles(self, tenant, request):
        tenants = self.tenants if self.has("roles-of-another-tenant") else [tenant]
        return Answer(200, [dict(row) for t in tenants for row in t.roles])

    def registry(self, tenant, request):
        tenants = self.tenants if self.has("registry-of-another-tenant") else [tenant]
        people = [c for t in tenants for c in t.candidates.values()]
        if self.has("registry-misses-created"):
            people = [c for c in people if "viaApi" not in c.more]
        if self.options.registry != "paged":
            return Answer(200, {"candidates": [self.registry_view(tenant, c) for c in people]})
        cursor = self.read_query(request.query).get("cursor", ["p0"])[0]
        if not re.fullmatch(r"p[0-9]{1,6}", cursor):
            raise Refused(400, "unknown cursor")
        at = 0 if self.has("registry-loops") else int(cursor[1:])
        following = f"p{at + PAGE}" if at + PAGE < len(people) else None
        first = max(0, at - 1) if self.has("registry-page-repeats") else at
        page = [self.registry_view(tenant, c) for c in people[first:at + PAGE]]
        if self.has("registry-skips-people") and at and "limit=" in request.query:
            page = page[1:]
        return Answer(200, {"candidates": page, "nextCursor": "p0" if self.has("registry-loops") else following})

    def registry_view(self, tenant, person):
        parts_of = lambda key: person.more.get(key) if isinstance(person.more.get(key), dict) else {}
        return {"id": person.id, "employeeNumber": person.employee, "firstName": person.first, "lastName": person.last,
                "personalNumber": self.number(person.number), "phone": person.phone, "email": person.email,
                **{key: str(person.more.get(key) or ("se" if key == "countryCode" else "")) for key in TEXTS},
                **{key: {part: str(parts_of(key).get(part) or "") for part in parts} for key, parts in OBJECTS.items()},
                "workHistory": self.history(tenant, person)} | self.raw_details(person)

    def raw_details(self, person):
        stored = person.more if self.has("create-details-stored") else {}
        return {key: stored[key] for key in (*TEXTS, *OBJECTS) if key in stored}

    def history(self, tenant, person):
        """Return worked shifts: the seeded people have one, last month."""
        if "viaApi" in person.more:
            return []
        outlet, role = tenant.outlets[0], tenant.roles[0]
        worked = (datetime.now(ZONE) - timedelta(days=30)).date().isoformat()
        return [{"shiftId": tenant.seed_id("shift", 90), "date": worked, "roleId": role["id"], "roleName": role["name"],
                 "outletId": outlet["id"], "outletName": outlet["name"]}]


def read_json(raw):
    """Return the value of a body. Python's parser accepts NaN and lone surrogates, which are not valid JSON."""
    def refuse(name):
        raise ValueError(name)
    value = json.loads(raw.decode("utf-8"), parse_constant=refuse)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


assert all(hasattr(Operations, op.replace("-", "_")) for op in OPS)
