<?php

// A scheduling provider in plain PHP without extensions: PROVIDER_TOKEN=T php -S 127.0.0.1:8080 index.php

declare(strict_types=1);

// A warning in front of the JSON would make the response unreadable: it belongs in the log.
ini_set("display_errors", "0");
ini_set("log_errors", "1");
ini_set("default_mimetype", "");

define("PROVIDER_ID", getenv("PROVIDER_ID") ?: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11");
define("DATA", getenv("PROVIDER_DATA") ?: sys_get_temp_dir() . "/provider.json");
const OUTLETS = [["id" => "kajen", "name" => "Kajen", "address" => "Kajgatan 1"]];
const ROLES = [["id" => "waiter", "name" => "Waiter"]];
const FIELDS = ["personalNumber", "firstName", "lastName", "email", "phone"];

final class Refused extends Exception
{
    public function __construct(public readonly int $status, public readonly string $reason, string $detail)
    {
        parent::__construct($detail);
    }
}

/** Hands over the data while no other request has them. What a refused request changed is not stored. */
function transaction(callable $run): mixed
{
    $file = fopen(DATA, "c+");
    flock($file, LOCK_EX);
    $before = stream_get_contents($file);
    $data = json_decode($before, true) ?? ["shifts" => [], "candidates" => [], "events" => []];
    $result = $run($data);
    $after = encoded($data);
    if ($after !== $before) {
        rewind($file);
        fwrite($file, $after);
        ftruncate($file, strlen($after));
    }
    fclose($file);
    return $result;
}

function encoded(mixed $value): string
{
    return json_encode($value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
}

function uuid(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf("%s%s-%s-%s-%s-%s%s%s", str_split(bin2hex($bytes), 4));
}

/** A time in UTC; undefined days such as 30 February are refused, which DateTimeImmutable moves to March. */
function utc(mixed $text): string
{
    $form = '/^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/D';
    if (!is_string($text) || !preg_match($form, $text, $part) || !checkdate((int) $part[2], (int) $part[3], (int) $part[1])) {
        throw new Refused(400, "validation_failed", "startTime and endTime are times with an offset.");
    }
    return (new DateTimeImmutable($text))->setTimezone(new DateTimeZone("UTC"))->format("Y-m-d\TH:i:s\Z");
}

/** Twelve digits with a date and a right check digit, or null. The day of a coordination number is 60 higher. */
function digitsOf(mixed $number): ?string
{
    if (!is_string($number) || !preg_match('/^(\d{4})(\d\d)(\d\d)-?(\d{4})$/D', $number, $part)) {
        return null;
    }
    $sum = 0;
    foreach (str_split($part[1][2] . $part[1][3] . $part[2] . $part[3] . $part[4]) as $place => $digit) {
        $sum += array_sum(str_split((string) ($digit * (2 - $place % 2))));
    }
    $isDate = checkdate((int) $part[2], $part[3] > 60 ? $part[3] - 60 : (int) $part[3], (int) $part[1]);
    return $isDate && $sum % 10 === 0 ? $part[1] . $part[2] . $part[3] . $part[4] : null;
}

function eventBody(string $event, string $shiftId): array
{
    return ["event" => $event, "providerId" => PROVIDER_ID, "content" => ["shiftId" => $shiftId], "traceId" => uuid()];
}

/** Queues a webhook in the same transaction as the change: events.php sends it. */
function emit(array &$data, string $event, string $shiftId): void
{
    if (getenv("PLATFORM_URL")) {
        $data["events"][uuid()] = ["body" => encoded(eventBody($event, $shiftId)), "attempts" => 0, "due" => time()];
    }
}

function createShift(array &$data, int $positions): array
{
    $start = intdiv(time(), 3600) * 3600 + 7 * 86400;
    $shift = [
        "id" => uuid(), "outletId" => OUTLETS[0]["id"], "roleId" => ROLES[0]["id"],
        "startTime" => gmdate("Y-m-d\TH:i:s\Z", $start), "endTime" => gmdate("Y-m-d\TH:i:s\Z", $start + 8 * 3600),
        "breakMinutes" => 30, "numberOfPositions" => $positions, "assigned" => [], "cancelled" => false, "description" => null,
        "createdAt" => gmdate("Y-m-d\TH:i:s\Z"), "updatedAt" => gmdate("Y-m-d\TH:i:s\Z"),
    ];
    $data["shifts"][$shift["id"]] = $shift;
    emit($data, "shift.create", $shift["id"]);
    return $shift;
}

function shiftOf(array $data, string $id): array
{
    return $data["shifts"][$id] ?? throw new Refused(404, "shift_not_found", "There is no such shift.");
}

function openShift(array $data, string $id): array
{
    $shift = shiftOf($data, $id);
    return $shift["cancelled"] ? throw new Refused(409, "shift_cancelled", "The shift is cancelled.") : $shift;
}

function shown(array $data, array $shift): array
{
    $isFull = count($shift["assigned"]) >= $shift["numberOfPositions"];
    $assigned = [];
    foreach ($shift["assigned"] as $id => $_) {
        $assigned[] = ["id" => $id, "personalNumber" => $data["candidates"][$id]["personalNumber"]];
    }
    $status = $shift["cancelled"] ? "cancelled" : ($isFull ? "filled" : "open");
    unset($shift["assigned"], $shift["cancelled"]);
    return [...$shift, "status" => $status, "assignedCandidates" => $assigned];
}

function store(array &$data, array $shift, string $event): void
{
    $data["shifts"][$shift["id"]] = [...$shift, "updatedAt" => gmdate("Y-m-d\TH:i:s\Z")];
    emit($data, $event, $shift["id"]);
}

function updateShift(array &$data, string $id, array $body): array
{
    $shift = openShift($data, $id);
    $start = utc($body["startTime"] ?? $shift["startTime"]);
    $end = utc($body["endTime"] ?? $shift["endTime"]);
    $positions = $body["numberOfPositions"] ?? $body["slots"] ?? $shift["numberOfPositions"];
    if (!array_intersect_key($body, array_flip(["startTime", "endTime", "numberOfPositions", "slots"]))) {
        throw new Refused(400, "validation_failed", "startTime, endTime or the number of positions is needed.");
    }
    if ($start >= $end || !is_int($positions) || $positions < 0 || $positions > 1000) {
        throw new Refused(400, "validation_failed", "The end is after the start, and the positions are a whole number.");
    }
    if ($positions < count($shift["assigned"])) {
        throw new Refused(409, "shift_full", "More candidates are assigned than that.");
    }
    $shift = [...$shift, "startTime" => $start, "endTime" => $end, "numberOfPositions" => $positions];
    store($data, $shift, "shift.update");
    return [200, shown($data, $data["shifts"][$id])];
}

function cancelShift(array &$data, string $id): array
{
    $shift = shiftOf($data, $id);
    if (!$shift["cancelled"]) {
        store($data, [...$shift, "cancelled" => true], "shift.delete");
    }
    return [204, null];
}

function assign(array &$data, string $id, string $candidateId): array
{
    $shift = openShift($data, $id);
    $candidate = $data["candidates"][$candidateId] ?? throw new Refused(404, "candidate_not_found", "There is no such candidate.");
    if (!isset($shift["assigned"][$candidateId])) {
        if (count($shift["assigned"]) >= $shift["numberOfPositions"]) {
            throw new Refused(409, "shift_full", "Every position is taken.");
        }
        $shift["assigned"][$candidateId] = gmdate("Y-m-d\TH:i:s\Z");
        $data["shifts"][$id] = $shift;
    }
    return [200, ["success" => true, "shiftId" => $id, "candidateId" => $candidate["id"], "assignedAt" => $shift["assigned"][$candidateId]]];
}

function unassign(array &$data, string $id, string $candidateId): array
{
    shiftOf($data, $id);
    unset($data["shifts"][$id]["assigned"][$candidateId]);
    return [204, null];
}

function findCandidates(array $data, array $query): array
{
    // PHP reads ?personalNumber[]=1 as an array.
    $number = is_string($query["personalNumber"] ?? null) ? digitsOf($query["personalNumber"]) : null;
    $found = array_filter($data["candidates"], fn (array $each): bool => $each["personalNumber"] === $number);
    // A list has no gaps in its keys, or json_encode writes an object.
    return [200, array_map(shownCandidate(...), array_values($found))];
}

function shownCandidate(array $candidate): array
{
    return array_intersect_key($candidate, ["id" => 1, ...array_flip(FIELDS)]);
}

function createCandidate(array &$data, array $body): array
{
    foreach (FIELDS as $field) {
        if (!is_string($body[$field] ?? null) || trim($body[$field]) === "") {
            throw new Refused(400, "validation_failed", "$field is needed.");
        }
    }
    $number = digitsOf($body["personalNumber"]) ?? throw new Refused(422, "validation_failed", "The personal number is not valid.");
    if (in_array($number, array_column($data["candidates"], "personalNumber"), true)) {
        throw new Refused(409, "candidate_exists", "A candidate has this personal number.");
    }
    $candidate = [...$body, "personalNumber" => $number, "id" => uuid(), "employeeNumber" => (string) (1000 + count($data["candidates"]))];
    $data["candidates"][$candidate["id"]] = $candidate;
    return [201, shownCandidate($candidate)];
}

function bodyOf(string $text): array
{
    $body = json_decode($text, true);
    return is_array($body) ? $body : throw new Refused(400, "validation_failed", "The body is not a JSON object.");
}

/** @return array the status and the body of the response */
function respond(array &$data, string $method, string $path, string $text): array
{
    if (getenv("PROVIDER_STATES") === "1" && in_array($path, ["/states", "/"], true)) {
        require_once __DIR__ . "/states.php";
        return [200, $path === "/" ? event(bodyOf($text)) : providerState($data, bodyOf($text))];
    }
    $token = getenv("PROVIDER_TOKEN") ?: throw new Refused(503, "not_configured", "PROVIDER_TOKEN is not set.");
    if (!hash_equals("Bearer $token", $_SERVER["HTTP_AUTHORIZATION"] ?? "")) {
        throw new Refused(401, "unauthorized", "The token is missing or wrong.");
    }
    $parts = array_map(rawurldecode(...), explode("/", substr($path, 1)));
    if (array_shift($parts) !== "providers" || array_shift($parts) !== PROVIDER_ID) {
        throw new Refused(404, "provider_not_found", "The token is for another organisation.");
    }
    [$id, $candidateId] = [$parts[1] ?? "", $parts[3] ?? ""];
    $route = match (count($parts)) {
        2 => $parts[0] === "shifts" ? "shifts/{}" : "$parts[0]/$parts[1]",
        4 => "$parts[0]/{}/$parts[2]/{}",
        default => implode("/", $parts),
    };
    return match ("$method $route") {
        "GET shifts/{}" => [200, shown($data, shiftOf($data, $id))],
        "PUT shifts/{}" => updateShift($data, $id, bodyOf($text)),
        "DELETE shifts/{}" => cancelShift($data, $id),
        "PUT shifts/{}/assign/{}" => assign($data, $id, $candidateId),
        "PUT shifts/{}/unassign/{}", "DELETE shifts/{}/assign/{}" => unassign($data, $id, $candidateId),
        "GET candidates" => findCandidates($data, $_GET),
        "POST candidates" => createCandidate($data, bodyOf($text)),
        "GET outlets" => [200, OUTLETS],
        "GET roles" => [200, ROLES],
        default => throw new Refused(404, "not_found", "There is no such path."),
    };
}

function serve(): void
{
    try {
        $path = explode("?", $_SERVER["REQUEST_URI"], 2)[0];
        $text = file_get_contents("php://input");
        [$status, $body] = transaction(fn (array &$data): array => respond($data, $_SERVER["REQUEST_METHOD"], $path, $text));
    } catch (Refused $refusal) {
        $status = $refusal->status;
        $body = ["type" => "about:blank", "title" => $refusal->getMessage(), "status" => $status, "code" => $refusal->reason];
    }
    http_response_code($status);
    if ($body !== null) {
        header($status < 400 ? "Content-Type: application/json" : "Content-Type: application/problem+json");
        echo encoded($body);
    }
}

if (PHP_SAPI === "cli-server") {
    serve();
}
