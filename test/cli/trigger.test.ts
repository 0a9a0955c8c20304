import { afterEach, describe, expect, it } from "vitest";
import { trigger } from "../../src/cli/trigger.ts";
import { WEBHOOK_SCHEDULE } from "../../src/clients/webhook-client.ts";
import { RECEIPT, type Reply, startPlatform } from "../harness/platform-stand-in.ts";
import { terminal } from "../harness/terminal.ts";

const IDS = [
  "--provider-id",
  "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
  "--shift-id",
  "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3",
];
const TRACE_ID = "3f1f6f5c-0f4e-4a3a-8d0f-2c9f6f1f7a55";
const SECRET = "a-very-secret-token";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function start(...replies: Reply[]) {
  const platform = await startPlatform(...replies);
  open.push(platform);
  return platform;
}

/** Waits take no time. */
async function run(argv: string[], env: Record<string, string> = {}) {
  const { io, out, err } = terminal(env);
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  const exit = await trigger(argv, io, { wait, timeoutMs: 2_000 });
  return { exit, out, err, waits };
}

const refusing: Reply = (response) => {
  response.writeHead(400, { "Content-Type": "application/problem+json" });
  const errors = [{ pointer: "/traceId", message: `is used by\n${SECRET}` }];
  response.end(
    JSON.stringify({
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      code: "validation_failed",
      errors,
    }),
  );
};

describe("shiftpact trigger", () => {
  it.each([
    ["", "/webhooks/scheduling-provider"],
    ["/", "/webhooks/scheduling-provider"],
    ["/webhooks/scheduling-provider", "/webhooks/scheduling-provider"],
    ["/api/v3/integrations/tempo/webhook", "/api/v3/integrations/tempo/webhook"],
    ["/below", "/below/webhooks/scheduling-provider"],
    ["/below/api/v3/integrations/tempo/webhook/", "/below/api/v3/integrations/tempo/webhook"],
  ])("with --url URL%s posts to %s", async (suffix, path) => {
    const { url, received } = await start(RECEIPT);
    const argv = [
      "shift.update",
      "--url",
      `${url}${suffix}`,
      "--token",
      SECRET,
      ...IDS,
      "--trace-id",
      TRACE_ID,
    ];
    const { exit, out, err } = await run(argv);
    expect(exit).toBe(0);
    expect(received).toEqual([
      {
        path,
        headers: expect.objectContaining({ authorization: `Bearer ${SECRET}` }),
        body: {
          event: "shift.update",
          providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
          content: { shiftId: "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3" },
          traceId: TRACE_ID,
        },
      },
    ]);
    expect(out).toEqual([
      expect.stringMatching(/^shift\.update .*0c6c2b0e.*3f1f6f5c/),
      expect.stringMatching(/^ {2}POST http.*: 200 in \d+ ms$/),
      "acknowledged after 1 try",
    ]);
    expect(err).toEqual([]);
  });

  it("creates a traceId, and reads the token from the environment", async () => {
    const { url, received } = await start(RECEIPT);
    const { exit, out } = await run(["shift.create", "--url", url, ...IDS], { PLATFORM_TOKEN: SECRET });
    expect(exit).toBe(0);
    const [first] = received;
    expect(first?.body).toEqual(expect.objectContaining({ traceId: out[0]?.slice(-36) }));
    expect(first?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  it("prints why the webhook was refused, in one line and without the token, and exits 1", async () => {
    const { url } = await start(refusing);
    const { exit, out } = await run(["shift.create", "--url", url, "--token", SECRET, ...IDS]);
    expect(exit).toBe(1);
    expect(out[1]).toMatch(/: 400 in \d+ ms \(validation_failed; \/traceId is used by \$PLATFORM_TOKEN\)$/);
    expect(out.at(-1)).toBe("not acknowledged after 1 try: status 400");
    expect(out.join("\n")).not.toContain(SECRET);
  });

  it.each(["a", "1", "POST"])("does not redact the short token %j", async (token) => {
    const { url } = await start(refusing);
    const ids = [...IDS, "--trace-id", TRACE_ID];
    const { out } = await run(["shift.create", "--url", url, "--token", token, ...ids]);
    expect(out[0]).toContain("shift.create  shift 0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3");
    expect(out[1]).toContain(`  POST ${url}/webhooks/scheduling-provider: 400 in `);
    expect(out[1]).toContain("(validation_failed; /traceId is used by");
    expect(out.join("\n")).not.toContain("$PLATFORM_TOKEN");
  });

  it("sends once, and with --retry on the recommended schedule", async () => {
    const failing: Reply = (response) => response.writeHead(503).end();
    const once = await start(failing);
    const argv = ["shift.delete", "--token", SECRET, ...IDS];
    expect(await run([...argv, "--url", once.url])).toMatchObject({ exit: 1, waits: [0] });
    const twice = await start(failing, RECEIPT);
    const { exit, out, waits } = await run([...argv, "--retry", "--url", twice.url]);
    expect(exit).toBe(0);
    expect(waits).toEqual(WEBHOOK_SCHEDULE.slice(0, 2));
    expect(out.slice(2)).toEqual([
      "  next try in 5 s",
      expect.stringContaining(": 200 in "),
      "acknowledged after 2 tries",
    ]);
  });

  it("reports that no server responds", async () => {
    const platform = await startPlatform(RECEIPT);
    await platform.close();
    const { exit, out } = await run(["shift.create", "--url", platform.url, "--token", SECRET, ...IDS]);
    expect(exit).toBe(1);
    expect(out[1]).toMatch(/no response in \d+ ms \(ECONNREFUSED\)$/);
  });

  it("prints its help", async () => {
    const { exit, out } = await run(["--help"]);
    expect(exit).toBe(0);
    expect(out.join("\n")).toContain("Examples:");
  });

  const URL_AND_TOKEN = ["--url", "http://127.0.0.1:1", "--token", "T"];
  it.each([
    [[...URL_AND_TOKEN, ...IDS], "EVENT must be one of shift.create, "],
    [["shift.publish", ...URL_AND_TOKEN, ...IDS], "EVENT must be one of"],
    [["shift.create", "shift.update", ...URL_AND_TOKEN, ...IDS], "EVENT must be one of"],
    [["shift.create", "--token", "T", ...IDS], "--url must be an http or https URL"],
    [["shift.create", "--url", "ftp://x", "--token", "T", ...IDS], "--url"],
    [["shift.create", "--url", "http://u:p@x", "--token", "T", ...IDS], "--url"],
    [["shift.create", "--url", "http://x/?a=b", "--token", "T", ...IDS], "--url"],
    [["shift.create", "--url", "http://127.0.0.1:1", ...IDS], "no token: give --token, or set"],
    [
      ["shift.create", "--url", "http://127.0.0.1:1", "--token", "a b", ...IDS],
      "--token must be visible ASCII",
    ],
    [["shift.create", ...URL_AND_TOKEN], "--provider-id is required"],
    [["shift.create", ...URL_AND_TOKEN, ...IDS, "--shift-id", ""], "--shift-id must be the shift's id"],
    [["shift.create", ...URL_AND_TOKEN, ...IDS, "--shift-id", ".."], "--shift-id must be the shift's id"],
    [["shift.create", ...URL_AND_TOKEN, ...IDS, "--trace-id", "x"], "--trace-id must be a UUID"],
    [["shift.create", "--wat"], "--wat"],
  ])("refuses %j in one line", async (argv, message) => {
    const { exit, out, err } = await run(argv);
    expect(exit).toBe(2);
    expect(err).toEqual([expect.stringContaining(message)]);
    expect(err[0]).not.toContain("\n");
    expect(out).toEqual([]);
  });
});
