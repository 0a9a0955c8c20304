import { createProviderClient } from "../../../clients/provider/client.ts";
import { fetchThrough, serveThread } from "../../threads/serve-thread.ts";
import { type RegistryOrder, readRegistry } from "./reading.ts";

await serveThread(({ target, ...order }: RegistryOrder, call) => {
  const client = createProviderClient({ ...target, fetch: fetchThrough(call) });
  return readRegistry(client, order, (part) => call("store", part));
});
