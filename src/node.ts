/** What only Node has: calls to a provider whose URL somebody else entered. */
export { createProviderHttp, type ProviderHttp, type ProviderHttpOptions } from "./clients/provider/http.ts";
