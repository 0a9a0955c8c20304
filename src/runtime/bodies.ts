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

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** The statuses that `default` covers: 400 to 599. */
export type ErrorStatus = NumberIn<`${4 | 5}${Digit}${Digit}`>;
