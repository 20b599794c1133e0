// Address and first key of the gateway under test, read from its output, and the address of the counting provider.
import { readFileSync } from "node:fs";

const printed = readFileSync(process.env.TOLLGATE_STDOUT, "utf8");
export const baseURL = printed.match(/^Tollgate serves (\S+)/m)[1];
export const apiKey = printed.match(/sk-llm-[A-Za-z0-9]+/)[0];
export const providerURL = `http://127.0.0.1:${process.env.PROVIDER_PORT}/`;
