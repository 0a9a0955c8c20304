import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import express, { type Express, type Request, type RequestHandler } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { parse } from "yaml";
import { createRouter, type Handlers } from "../../../generated/provider/server.ts";
import type { CandidateCreate, CompleteCandidate, CompleteShift } from "../../../generated/provider/types.ts";
import { ProblemError } from "../../../src/runtime/problem.ts";
import { answerParent } from "./parent.ts";

// Two operations of a provider, GET /shifts/{shiftId} and POST /candidates, in three ways: WAY is express, stub or validator.

const { WAY = "express", TOKEN, DOCUMENT = "", SHIFT = "" } = process.env;
const shift: CompleteShift = JSON.parse(readFileSync(SHIFT, "utf8"));

const created = (body: CandidateCreate): CompleteCandidate => {
  const { personalNumber, firstName, lastName, email, phone } = body;
  return { id: shift.id, personalNumber, firstName, lastName, email, phone };
};

const isAllowed = (request: Request) => request.headers.authorization === `Bearer ${TOKEN}`;

const authenticate: RequestHandler = (request, response, next) => {
  if (isAllowed(request)) next();
  else response.sendStatus(401);
};

function addRoutes(app: Express): void {
  app.get("/shifts/:shiftId", (_request, response) => void response.json(shift));
  app.post("/candidates", (request, response) => void response.status(201).json(created(request.body)));
}

/** Validates nothing. */
function plain(app: Express): void {
  app.use(authenticate, express.json({ limit: "64kb" }));
  addRoutes(app);
}

/** Uses the generated stub. */
function stub(app: Express): void {
  const notCalled = (): never => {
    throw new Error("the benchmark does not call this");
  };
  const others: Omit<Handlers<undefined>, "getShift" | "createCandidate"> = {
    updateShift: notCalled,
    cancelShift: notCalled,
    assignCandidate: notCalled,
    deleteAssignment: notCalled,
    unassignCandidate: notCalled,
    findCandidates: notCalled,
    getCandidateRegistry: notCalled,
    listOutlets: notCalled,
    listRoles: notCalled,
  };
  const handlers: Handlers<undefined> = {
    ...others,
    getShift: () => ({ status: 200, body: shift }),
    createCandidate: ({ body }) => ({ status: 201, body: created(body) }),
  };
  const check = (request: Request) => {
    if (!isAllowed(request)) throw new ProblemError(401, "unauthorized");
    return undefined;
  };
  app.use(createRouter({ handlers, authenticate: check }));
}

/** Uses express-openapi-validator, which validates requests and responses by an OpenAPI document. */
function validator(app: Express): void {
  const apiSpec = { ...parse(readFileSync(DOCUMENT, "utf8")), servers: [{ url: "/" }] };
  app.use(express.json({ limit: "64kb" }));
  const middleware = OpenApiValidator.middleware({
    apiSpec,
    validateRequests: true,
    validateResponses: true,
    validateSecurity: { handlers: { providerToken: isAllowed } },
    formats: FORMATS,
  });
  app.use(...middleware);
  addRoutes(app);
}

// The regular expression of scripts/emit/formats.ts.
const FORMATS = { "local-date-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/ };

const app = express();
app.disable("x-powered-by");
app.disable("etag");
const ways: Readonly<Record<string, (app: Express) => void>> = { express: plain, stub, validator };
ways[WAY]?.(app);
const server = app.listen(0, "127.0.0.1", () => answerParent((server.address() as AddressInfo).port));
