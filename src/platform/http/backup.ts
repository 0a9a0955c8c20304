import type { RequestHandler, Response } from "express";
import { problem } from "../../contract/problem.ts";
import { writeBackup } from "../backup/file.ts";
import { BackupError } from "../backup/format.ts";
import { SnapshotInUse } from "../db/engine.ts";
import { type ExportParts, exportRoute } from "./export-route.ts";

/** A backup holds all personal data. */
const NEEDED = { scopes: ["admin"] };

/** `GET /operations/v1/backup`. A failure cuts it off. */
export function backupHandler(parts: ExportParts): RequestHandler {
  const { deps } = parts;
  const write = async (response: Response) => {
    try {
      await writeBackup(deps.database, deps.vault, response);
    } catch (error) {
      deps.log.warn({ err: error }, "a backup was not completed");
      if (response.headersSent || response.destroyed) return void response.destroy();
      response.removeHeader("Content-Type");
      if (error instanceof BackupError) throw problem("not_ready", { detail: error.message });
      if (!(error instanceof SnapshotInUse)) throw error;
      throw problem("overloaded", { detail: "Another backup is being made." }, { "Retry-After": "30" });
    }
  };
  return exportRoute(parts, NEEDED, "application/octet-stream", async () => ({ operation: "backup", write }));
}
