// What every client asks for, and how its errors are read.
import { z } from "zod";
import { apiKey, baseURL } from "../gateway.mjs";

export const ROUNDS_MAX = 5;
export const Answer = z.object({ city: z.string(), celsius: z.number() });
export const City = z.object({ city: z.string() });
export const DESCRIPTION = "Tells the weather of a city.";
export const question = "What is that?";
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
export const picture = `data:image/png;base64,${png.toString("base64")}`;
export const weather = ({ city }) => `sunny in ${city}`;
export const user = (content) => [{ role: "user", content }];

/** How a client connects unless a case says otherwise: with its default number of retries. */
export const usual = { baseURL, apiKey };

/** Classes of OpenAI's SDK for Node, by status. */
export const openaiErrors = {
  400: "BadRequestError",
  401: "AuthenticationError",
  403: "PermissionDeniedError",
  404: "NotFoundError",
  429: "RateLimitError",
  502: "InternalServerError",
  503: "InternalServerError",
};

/** Returns class, status, code and message of an error of OpenAI's SDK. */
export const openaiError = (error) => ({
  name: error.constructor.name,
  status: error.status,
  code: error.code,
  message: error.message,
});

/** Returns the texts of a stream's chunks. */
export async function* textsOf(stream, textOf) {
  for await (const one of await stream) {
    const text = textOf(one);
    if (text) yield text;
  }
}
