<?php

// For tests only, with PROVIDER_STATES=1: index.php serves the provider states at POST /states and the events at POST /.

declare(strict_types=1);

// Test numbers of the Swedish Tax Agency.
const KNOWN = "189001169813";
const UNUSED = "189005069811";
const OTHERS = ["189009159816", "189009269805"];

function providerState(array &$data, array $call): array
{
    $params = $call["params"] ?? [];
    return match ($call["state"] ?? "") {
        "an organisation" => ["providerId" => PROVIDER_ID],
        "a shift exists" => shiftState($data, $params["positions"] ?? 1, $params["assigned"] ?? 0),
        "a shift was deleted" => deletedShift($data),
        "no such shift" => ["providerId" => PROVIDER_ID, "shiftId" => uuid()],
        "a candidate exists" => [...numberValues(KNOWN), "candidateId" => candidate($data, KNOWN)],
        "no such candidate" => without($data, $params["personalNumber"] ?? UNUSED),
        // An interaction without states.
        "" => [],
        default => throw new Refused(400, "unknown_state", "There is no such provider state."),
    };
}

function shiftState(array &$data, int $positions, int $assigned): array
{
    $id = createShift($data, $positions)["id"];
    $values = shiftValues($data, $id);
    foreach (array_slice(OTHERS, 0, $assigned) as $number) {
        $values["assignedCandidateId"] = candidate($data, $number);
        assign($data, $id, $values["assignedCandidateId"]);
    }
    return [...$values, "candidateId" => candidate($data, KNOWN)];
}

function deletedShift(array &$data): array
{
    $id = createShift($data, 1)["id"];
    cancelShift($data, $id);
    return shiftValues($data, $id);
}

/** @return string the id of the candidate, who is created if missing */
function candidate(array &$data, string $number): string
{
    [$known] = findCandidates($data, ["personalNumber" => $number])[1] + [null];
    $fields = ["firstName" => "Åsa", "lastName" => "Ek", "email" => "asa@example.com", "phone" => "+46701740605"];
    return ($known ?? createCandidate($data, [...$fields, "personalNumber" => $number])[1])["id"];
}

function without(array &$data, string $number): array
{
    foreach (findCandidates($data, ["personalNumber" => $number])[1] as ["id" => $id]) {
        unset($data["candidates"][$id]);
        foreach ($data["shifts"] as &$shift) {
            unset($shift["assigned"][$id]);
        }
    }
    return numberValues(digitsOf($number));
}

function shiftValues(array $data, string $id): array
{
    ["startTime" => $start, "endTime" => $end] = $data["shifts"][$id];
    return ["providerId" => PROVIDER_ID, "shiftId" => $id, "startTime" => $start, "endTime" => $end];
}

function numberValues(string $number): array
{
    $hyphenated = substr($number, 0, 8) . "-" . substr($number, 8);
    return ["providerId" => PROVIDER_ID, "personalNumber" => $number, "hyphenatedNumber" => $hyphenated];
}

/** The payload of a webhook, which a Pact verifier requests by its name. */
function event(array $call): array
{
    return eventBody($call["description"], uuid());
}
