import { execFile } from "node:child_process";
import { chmod, chown, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { newClientOf } from "../../../src/platform/db/database-url.ts";
import { type PostgresServer, reopenPostgres, startPostgres } from "../../harness/embedded-postgres.ts";

const run = promisify(execFile);

/** Of an authority that signs a certificate for 127.0.0.1 alone. */
async function makeCertificates(folder: string): Promise<void> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: folder });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  for (const name of ["ca", "other-ca"])
    await openssl(
      "req",
      "-x509",
      ...key,
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
    );
  const sign = [
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-addext",
    "subjectAltName=IP:127.0.0.1",
    "-addext",
    "basicConstraints=critical,CA:FALSE",
  ];
  await openssl(
    "req",
    "-x509",
    ...key,
    ...sign,
    "-subj",
    "/CN=server",
    "-keyout",
    "server.key",
    "-out",
    "server.pem",
  );
}

describe("TLS to PostgreSQL", () => {
  let folder: string;
  let server: PostgresServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shiftpact-tls-"));
    await chmod(folder, 0o755);
    await makeCertificates(folder);
    const databaseDir = join(folder, "postgres");
    await (await startPostgres({ databaseDir })).stop();
    // The key must belong to the user that runs the server.
    const { uid, gid } = await stat(databaseDir);
    await chown(join(folder, "server.key"), uid, gid);
    const files = ["-c", `ssl_cert_file=${folder}/server.pem`, "-c", `ssl_key_file=${folder}/server.key`];
    server = await reopenPostgres({ databaseDir, flags: ["-c", "ssl=on", ...files] });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const encrypted = async (query: string, host = "127.0.0.1"): Promise<boolean> => {
    const url = `${server.url.replace("127.0.0.1", host)}/postgres?${query.replace("CA", folder)}`;
    const client = newClientOf(url);
    await client.connect();
    try {
      const { rows } = await client.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      return rows[0]?.ssl;
    } finally {
      await client.end();
    }
  };

  it.each([
    ["", false],
    ["sslmode=disable", false],
    ["sslmode=require", true],
    ["sslmode=require&sslrootcert=CA/ca.pem", true],
    ["sslmode=verify-ca&sslrootcert=CA/ca.pem", true],
    ["sslmode=verify-full&sslrootcert=CA/ca.pem", true],
  ])("connects with %j, encrypted: %s", async (query, isEncrypted) => {
    expect(await encrypted(query)).toBe(isEncrypted);
  });

  it.each([
    ["no-verify", "", true],
    ["no-verify", "sslmode=disable", false],
    ["disable", "", false],
  ])("with PGSSLMODE=%s connects with %j, encrypted: %s", async (mode, query, isEncrypted) => {
    process.env.PGSSLMODE = mode;
    onTestFinished(() => void delete process.env.PGSSLMODE);
    expect(await encrypted(query)).toBe(isEncrypted);
  });

  it.each(["prefer", "require", "verify-ca", "verify-full"])(
    "checks the certificate with PGSSLMODE=%s",
    async (mode) => {
      process.env.PGSSLMODE = mode;
      onTestFinished(() => void delete process.env.PGSSLMODE);
      await expect(encrypted("")).rejects.toThrow(/certificate/);
    },
  );

  it.each([
    "sslmode=verify-full",
    "sslmode=verify-full&sslrootcert=CA/other-ca.pem",
    "sslmode=verify-ca&sslrootcert=CA/other-ca.pem",
    "sslmode=require&sslrootcert=CA/other-ca.pem",
  ])("refuses a certificate of an authority that it does not trust: %s", async (query) => {
    await expect(encrypted(query)).rejects.toThrow(/certificate/);
  });

  it("checks the host's name with verify-full, and not with verify-ca", async () => {
    await expect(encrypted("sslmode=verify-full&sslrootcert=CA/ca.pem", "localhost")).rejects.toThrow(
      /localhost/,
    );
    expect(await encrypted("sslmode=verify-ca&sslrootcert=CA/ca.pem", "localhost")).toBe(true);
  });
});
