import type { AddressInfo } from "node:net";
import express, { type Request, type RequestHandler } from "express";
import { answerParent } from "./parent.ts";

// Express 5 as a webhook's route that stores nothing. BARE: it does not even read the body or look at the token.

const app = express();
app.disable("x-powered-by");
app.disable("etag");

const received: RequestHandler = (_request, response) => void response.json({ received: true });

const authenticate: RequestHandler = (request: Request, response, next) => {
  if (request.headers.authorization === `Bearer ${process.env.TOKEN}`) next();
  else response.sendStatus(401);
};

if (process.env.BARE) app.post("/{*path}", received);
else app.post("/{*path}", authenticate, express.json({ limit: "64kb" }), received);

const server = app.listen(0, "127.0.0.1", () => answerParent((server.address() as AddressInfo).port));
