/** Exports for Node only: guarded calls to a provider whose URL comes from user input. */
export { createProviderHttp, type ProviderHttp, type ProviderHttpOptions } from "./clients/provider/http.ts";
