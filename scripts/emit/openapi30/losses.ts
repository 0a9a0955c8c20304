/** The parts of a schema that OpenAPI 3.0 cannot express, each as a noun phrase with its keyword. */
export type Losses = string[];
