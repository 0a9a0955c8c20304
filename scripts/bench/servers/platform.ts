import { readConfig } from "../../../src/platform/config.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import { answerParent } from "./parent.ts";

// Runs the platform as `shiftpact platform` does, without the check of a provider at its activation.

const platform = await startPlatform(readConfig(process.env));
answerParent(platform.port, { idle: platform.idle });
