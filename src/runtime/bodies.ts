type NoParameters = Readonly<Record<string, never>>;

/** The parameters of an operation in one location. */
export type RequestPart<Operation, Where extends string> = Operation extends {
  parameters: { [W in Where]?: infer Part };
}
  ? [NonNullable<Part>] extends [never]
    ? NoParameters
    : NonNullable<Part>
  : NoParameters;

/** The body of a request; undefined where the document has none or makes it optional. */
export type RequestBody<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : Operation extends { requestBody?: { content: infer Content } }
    ? Content[keyof Content] | undefined
    : undefined;

/** The responses of an operation by their status. */
export type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never;

/** The body of the response with this status. */
export type ResponseBody<Operation, Status> = Status extends keyof ResponsesOf<Operation>
  ? ResponsesOf<Operation>[Status] extends { content: infer Content }
    ? Content[keyof Content]
    : never
  : never;

/** The same as it is read and sent: the schema of server-sent events describes one of them. */
export type MessageBody<Operation, Status> = Status extends keyof ResponsesOf<Operation>
  ? ResponsesOf<Operation>[Status] extends { content: { "text/event-stream": infer Event } }
    ? AsyncIterable<Event>
    : ResponseBody<Operation, Status>
  : never;

/** The statuses that `default` covers. */
export type ErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 408
  | 409
  | 410
  | 412
  | 413
  | 415
  | 422
  | 423
  | 429
  | 500
  | 501
  | 502
  | 503
  | 504;
