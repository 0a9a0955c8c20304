"""What the provider keeps in memory: two organisations, each with its own rows."""
import json
import re
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

NUMBERS_FILE = Path(__file__).resolve().parents[2] / "testdata" / "personal-numbers.json"
ZONE = timezone(timedelta(hours=1))
NAMESPACE = uuid.UUID("6f0f5f5e-2f0a-4c55-9a52-0d1c5ac2b7a1")
UUID_FORM = re.compile(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")

PEOPLE = [
    ("Åsa", "Öberg"), ("Erik", "Lindqvist"), ("Mona", "Sjöström"),
    ("Karim", "Haddad"), ("Linnéa", "Berg"), ("Johan", "Ek"),
]
OUTLETS = [
    [("Torget Restaurang", "Stortorget 3, 211 22 Malmö"), ("Hamnkrogen", "Kajgatan 1, 411 09 Göteborg"),
     ("Café Norr", None)],
    [("Skogens Värdshus", "Skogsvägen 12, 903 25 Umeå"), ("Bageriet", None)],
]
ROLES = [["Kock", "Servitör", "Diskare"], ["Bagare", "Kassör"]]


@dataclass
class Candidate:
    id: str
    number: str
    first: str
    last: str
    email: str
    phone: str
    employee: str
    more: dict = field(default_factory=dict)
    aliases: set = field(default_factory=set)


@dataclass
class Shift:
    id: str
    outlet: dict
    role: dict
    start: datetime
    end: datetime
    created: datetime
    updated: datetime
    positions: int = 2
    break_minutes: int = 30
    description: str | None = None
    cancelled: bool = False
    assigned: list = field(default_factory=list)
    more: dict = field(default_factory=dict)


class Tenant:
    def __init__(self, index, ids, numbers):
        self.index = index
        self.ids = ids
        self.provider_id = str(uuid.uuid5(NAMESPACE, f"provider-{index}"))
        self.token = ("tokAlpha-7Qm2Zr9Xc4Vb1Ns8Kd" if index == 0 else "tokBravo-3Hy6Tg5Rf8Ed2Ws7Pl")
        self.counter = 100 * (index + 1)
        self.outlets = [{"id": self.seed_id("outlet", n), "name": name, "address": address}
                        for n, (name, address) in enumerate(OUTLETS[index])]
        self.roles = [{"id": self.seed_id("role", n), "name": name} for n, name in enumerate(ROLES[index])]
        self.candidates = {}
        self.shifts = {}
        for n, (number, (first, last)) in enumerate(zip(numbers, PEOPLE)):
            self.add_candidate(self.seed_id("candidate", n), number, first, last,
                               f"person{index}{n}@example.com", f"+4670000{index}0{n}0", {})
        # The first is for reading and assigning, the second for cancelling, the others are spare.
        for n in range(4):
            self.seed_shift(n)

    def seed_id(self, kind, n):
        if self.ids == "short":
            return f"{kind[0].upper()}{self.index + 1}{n + 1:03d}"
        return str(uuid.uuid5(NAMESPACE, f"{kind}-{self.index}-{n}"))

    def new_id(self, kind):
        if self.ids == "short":
            self.counter += 1
            return f"{kind[0].upper()}{self.counter}X"
        return str(uuid.uuid4())

    def seed_shift(self, n):
        now = datetime.now(ZONE).replace(microsecond=0)
        start = (now + timedelta(days=7 + n)).replace(hour=8, minute=0, second=0)
        shift_id = self.seed_id("shift", n)
        self.shifts[shift_id] = Shift(
            shift_id, self.outlets[n % 2], self.roles[n % 2], start, start + timedelta(hours=8),
            now - timedelta(days=1), now - timedelta(days=1),
            description="Lunch och middag" if n % 2 else None)

    def add_candidate(self, candidate_id, number, first, last, email, phone, more):
        employee = f"E{1000 * (self.index + 1) + len(self.candidates) + 1}"
        candidate = Candidate(candidate_id, number, first, last, email, phone, employee, more)
        self.candidates[candidate_id] = candidate
        return candidate

    def candidate_of(self, candidate_id):
        found = self.candidates.get(candidate_id)
        if found:
            return found
        return next((c for c in self.candidates.values() if candidate_id in c.aliases), None)


def published_numbers():
    return json.loads(NUMBERS_FILE.read_text("utf-8"))["personnummer"]


def two_tenants(ids):
    """The seeds lie in the middle of the published list, so that tests rarely pick them as new people."""
    numbers = published_numbers()
    return [Tenant(0, ids, numbers[171:177]), Tenant(1, ids, numbers[213:219])]


def digits_of(text):
    """Twelve digits for either written form, or None."""
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{8}-?[0-9]{4}", text):
        return None
    return text.replace("-", "")


def is_real_number(digits):
    """A date (coordination numbers add 60 to the day) and the Luhn check digit."""
    day = int(digits[6:8])
    try:
        datetime(int(digits[:4]), int(digits[4:6]), day - 60 if day > 60 else day)
    except ValueError:
        return False
    total = 0
    for place, char in enumerate(digits[2:]):
        value = int(char) * (1 if place % 2 else 2)
        total += value // 10 + value % 10
    return total % 10 == 0
