import { createProviderClient } from "../../clients/provider/client.ts";
import { fetchThrough } from "../threads/provider-fetch.ts";
import { serveThread } from "../threads/serve-thread.ts";
import { type RegistryOrder, readRegistry } from "./registry-reading.ts";

await serveThread(({ target, ...order }: RegistryOrder, call) => {
  const client = createProviderClient({ ...target, fetch: fetchThrough(call) });
  return readRegistry(client, order, (part) => call("store", part));
});
