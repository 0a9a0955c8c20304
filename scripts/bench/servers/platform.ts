import { readConfig } from "../../../src/platform/config.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import { answerParent } from "./parent.ts";

// The platform as `shiftpact platform` runs it, without the check of a provider that is activated.

const platform = await startPlatform(readConfig(process.env));
answerParent(platform.port, { idle: platform.idle });
