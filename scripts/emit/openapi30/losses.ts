/** What OpenAPI 3.0 cannot say of a schema, each as a noun phrase with its keyword. */
export type Losses = string[];
