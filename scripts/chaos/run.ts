import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { pino } from "pino";
import { check } from "./check.ts";
import { runUnderFaults, type Setup } from "./fault-loop.ts";
import type { Load } from "./load.ts";
import { startFaultyMailServer } from "./mail.ts";
import type { ChaosOptions, ChaosReport } from "./options.ts";
import { createTargets } from "./processes.ts";
import { settle } from "./settle.ts";
import { crashesOf, fewerThan, growthOf, totalsOf } from "./table.ts";
import { createCallHook, onboardProvider } from "./target.ts";

const log = pino({ level: "silent" });

/** Kills the platform repeatedly under load, waits until it is idle, and compares both sides. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { dataDir, postgres, seed } = options;
  const place = {
    ...(postgres && { url: `${postgres.server.url}/${postgres.database}` }),
    ...(!postgres && { dataDir: join(dataDir, "database") }),
  };
  const token = randomBytes(24).toString("base64url");
  const callHook = createCallHook();
  const loads: Load[] = [];
  const mailServer = await startFaultyMailServer(() => loads[0]?.record.faults.length ?? 0);
  const { targets, urls } = await createTargets(options, { token, smtpUrl: mailServer.url, url: place.url });
  try {
    for (const target of targets) await target.start();
    for (let index = 0; index < (options.providers ?? 2); index += 1) {
      loads.push(await onboardProvider(urls[index % urls.length] ?? "", token, callHook));
    }
    const setup = { targets, urls, token, loads, inCall: callHook.inCall, place, mailServer };
    return await runAndCheck(options, setup);
  } catch (error) {
    throw new Error(`chaos with seed ${seed} could not run to its end`, { cause: error });
  } finally {
    await Promise.all(targets.map((target) => target.kill()));
    await Promise.all(loads.map(({ organisation }) => organisation.close()));
    await mailServer.close();
  }
}

async function runAndCheck(options: ChaosOptions, setup: Setup): Promise<ChaosReport> {
  const { targets, loads, place, mailServer } = setup;
  const { malformedReport, memory, ...injected } = await runUnderFaults(options, setup);
  await settle(targets, loads, options);
  await Promise.all(targets.map((target) => target.stop()));
  const checked = await check(place, loads, mailServer.accepted, log);
  const isPair = options.postgres !== undefined && "failOver" in options.postgres.server;
  const findings = [
    ...checked.findings,
    ...crashesOf(targets),
    ...malformedReport.failures.map((what) => ({ kind: "5xx", what }) as const),
    ...growthOf(memory),
    ...fewerThan(options.kills, injected.kills, "SIGKILLs"),
    ...(isPair ? fewerThan(options.kills, injected.failovers.length, "failovers") : []),
    ...fewerThan(1, mailServer.outages.size, "mail outages"),
  ];
  const mail = { mails: mailServer.accepted.length, mailOutages: mailServer.outages };
  const totals = { ...totalsOf(loads), ...mail };
  return { ...checked, ...injected, findings, memory, answers: malformedReport.answers, ...totals };
}
