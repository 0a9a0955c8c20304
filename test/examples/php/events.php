<?php

// Sends the webhooks that index.php has queued: PLATFORM_URL=... PLATFORM_TOKEN=... php events.php

declare(strict_types=1);

require __DIR__ . "/index.php";

/** Seconds until the next attempt. */
const WAITS = [5, 300, 1800, 7200];

function isReceived(string $body): bool
{
    $headers = ["Content-Type: application/json", "Authorization: Bearer " . getenv("PLATFORM_TOKEN")];
    $http = ["method" => "POST", "header" => $headers, "content" => $body, "timeout" => 5];
    $url = getenv("PLATFORM_URL") . "/webhooks/scheduling-provider";
    return @file_get_contents($url, false, stream_context_create(["http" => $http])) !== false;
}

/** Sends what is due; the same bytes, and so the same traceId, after a failure. */
function sendDue(): void
{
    $due = transaction(fn (array &$data): array => array_filter($data["events"], fn (array $each): bool => $each["due"] <= time()));
    foreach ($due as $id => ["body" => $body, "attempts" => $attempts]) {
        $wait = isReceived($body) ? null : WAITS[$attempts] ?? null;
        transaction(function (array &$data) use ($id, $attempts, $wait): void {
            if ($wait === null) {
                unset($data["events"][$id]);
            } else {
                $data["events"][$id] = [...$data["events"][$id], "attempts" => $attempts + 1, "due" => time() + $wait];
            }
        });
    }
}

for (;; sleep(1)) {
    sendDue();
}
