// Runs the command from a checkout after `npm ci --ignore-scripts`, in any folder, without a build. tsx would otherwise read the
// tsconfig.json of that folder.
import { fileURLToPath } from "node:url";
import { register } from "tsx/esm/api";

register({ tsconfig: fileURLToPath(new URL("../../tsconfig.json", import.meta.url)) });
const { runCommand } = await import("./run-command.ts");
const { shiftpact } = await import("./shiftpact.ts");
await runCommand("shiftpact", shiftpact);
