import { readConfig } from "../../../src/platform/config.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import { answerParent } from "./parent.ts";

// Runs the platform as `shiftpact platform` does, without the check of a provider at its activation.

const { CONSOLE_FOLDER: folder, ...env } = process.env;
const pages = folder === undefined ? {} : { pages: { console: { folder }, docs: { folder } } };
const platform = await startPlatform(readConfig(env), pages);
answerParent(platform.port, { idle: platform.idle });
