import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../src/platform/main.ts";
import { engines, silent } from "../harness/engines.ts";
import { send } from "../harness/http.ts";
import { configFor, placeFor } from "../harness/platform.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

const HIRE = {
  address: "Storgatan 1",
  postCode: "11122",
  city: "Stockholm",
  countryCode: "se",
  emergencyContact: { name: "Kim Ek", phone: "+46701740606", relationship: "parent" },
  bankDetails: { clearingNumber: "8327", accountNumber: "9040123456" },
  documents: { citizenship: "se", workPermitRequired: false, workPermitExpiry: null, passportVerified: true },
};

describe.each(engines)("the platform process, on %s", (engine) => {
  const undo: (() => unknown)[] = [];
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each();
  });

  async function newPlace() {
    const { location, remove } = await placeFor(engine);
    undo.push(remove);
    return configFor(location);
  }

  async function started(config: ReturnType<typeof configFor>): Promise<Platform> {
    const platform = await startPlatform(config, { log: silent });
    undo.push(platform.close);
    return platform;
  }

  it("leaves nothing open when its port is in use", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    undo.push(() => squatter.close());
    await once(squatter, "listening");
    const { port } = squatter.address() as AddressInfo;
    const config = await newPlace();
    const starting = startPlatform({ ...config, port }, { log: silent });
    await expect(starting).rejects.toThrow(`port ${port} is already in use`);
    const platform = await started(config);
    expect((await fetch(`${platform.url}/health/ready`)).status).toBe(200);
  });

  const integration = {
    path: "/integrations",
    body: {
      providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
      kind: "tempo",
      name: "Kvarteret",
      baseUrl: "https://provider.example",
      providerToken: "a-provider-token",
    },
  };
  const hired = {
    path: "/candidates",
    body: {
      personalNumber: published.personnummer[90],
      firstName: "Robin",
      lastName: "Ek",
      email: "robin@example.com",
      phone: "+46701740605",
      competenceIds: [],
      hire: HIRE,
    },
  };

  it.each([integration, hired])(
    "does not start with a SECRET_KEY other than the one that sealed $path",
    async (sealed) => {
      const config = await newPlace();
      const platform = await started(config);
      const authorization = `Bearer ${config.operationsToken}`;
      const { path, body } = sealed;
      const answer = await send(platform.url, `/operations/v1${path}`, {
        method: "POST",
        authorization,
        body,
      });
      expect(answer.status).toBe(201);
      await platform.close();
      const another = { ...config, secretKey: Buffer.alloc(32, 9) };
      const error = await startPlatform(another, { log: silent }).catch((reason: Error) => reason);
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).message).toMatch(/^[^\n]*SECRET_KEY[^\n]*$/);
      await started(config);
    },
  );

  it("stops once, however often stop is called, without waiting for idle connections", async () => {
    const platform = await started(await newPlace());
    const socket = connect(platform.port, "127.0.0.1");
    const ended = once(socket, "close");
    socket.write("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n");
    await once(socket, "data");
    const closing = [platform.close(), platform.close()];
    await Promise.all([...closing, ended]);
    await platform.close();
    await expect(fetch(`${platform.url}/health/live`)).rejects.toThrow("fetch failed");
  });
});

describe("the platform process", () => {
  it.each([
    [
      "nothing listens",
      "postgres://user:hunter2@localhost:9/x",
      /^cannot use the database of DATABASE_URL: .*ECONNREFUSED/,
    ],
    ["it is no URL", "postgres://user:hunter2@:x", /^DATABASE_URL is not a valid URL: write postgres:/],
  ])("reports in one line that there is no database when %s", async (_, databaseUrl, line) => {
    const starting = startPlatform({ ...configFor({ url: databaseUrl }) }, { log: silent });
    const error = await starting.catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(Error);
    const { message } = error as Error;
    expect(message).toMatch(line);
    expect(message).not.toMatch(/hunter2|\n/);
  });
});
