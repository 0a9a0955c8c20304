import { setTimeout as sleep } from "node:timers/promises";
import { createGround, placeOnDisk } from "./ground.ts";
import { newDatabase, newFolder } from "./organisations.ts";
import { acknowledgements } from "./probes.ts";
import { pipeline, startProvider, startScene } from "./scene.ts";
import { quantile } from "./statistics.ts";
const ground = createGround(await placeOnDisk());
const engines = (process.env.E ?? "postgres,pglite").split(",");
const what = (process.env.W ?? "pipe,open").split(",");
const N = Number(process.env.N ?? 2000), R = Number(process.env.R ?? 3), O = Number(process.env.O ?? 20), Q = Number(process.env.Q ?? 1000);
try {
  const provider = await startProvider(ground);
  for (const engine of engines) {
    const store = engine === "postgres" ? await newDatabase(ground) : await newFolder(ground);
    const scene = await startScene(ground, { store, provider, organisations: O });
    await pipeline(scene, 700);
    if (what.includes("pipe")) for (let i = 0; i < R; i++) {
      const r = await pipeline(scene, N);
      console.log(engine, O, "pipe", r.rate.toFixed(0), r.serverCpu.toFixed(2), r.databaseCpu.toFixed(2));
    }
    if (what.includes("open")) for (let i = 0; i < 2; i++) {
      const probe = acknowledgements(scene, scene.organisations, Q);
      await sleep(10_000);
      const t = await probe.stop();
      const b = performance.now();
      await scene.platform.child.ask("idle");
      console.log(engine, "open", ...[0.5, 0.9, 0.99].map((q) => quantile(t, q).toFixed(1)), Math.max(...t).toFixed(1), "rest s", ((performance.now() - b) / 1000).toFixed(1), "n", t.length);
    }
    await scene.end();
  }
  await provider.end();
} finally { await ground.clear(); }
process.exit(0);
