import { inject } from "vitest";
import { captureStatements } from "./captured-statements.ts";

captureStatements(inject("statements"));
