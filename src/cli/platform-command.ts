#!/usr/bin/env node
import { processIo } from "./io.ts";
import { platform } from "./platform.ts";

// The command of the package @shiftpact/platform.
process.exitCode = await platform(process.argv.slice(2), processIo());
