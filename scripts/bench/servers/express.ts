import type { AddressInfo } from "node:net";
import express, { type Request, type RequestHandler } from "express";
import { answerParent } from "./parent.ts";

// A webhook route in Express 5 that stores nothing.

const app = express();
app.disable("x-powered-by");
app.disable("etag");

const authenticate: RequestHandler = (request: Request, response, next) => {
  if (request.headers.authorization === `Bearer ${process.env.TOKEN}`) next();
  else response.sendStatus(401);
};

app.post("/{*path}", authenticate, express.json({ limit: "64kb" }), (_request, response) => {
  response.json({ received: true });
});

const server = app.listen(0, "127.0.0.1", () => answerParent((server.address() as AddressInfo).port));
