// The gateway under test, as its output tells: its address, its first key, and one that may use nothing but test/chat.
// Beside it, the address of the scripted provider, which counts its requests.
import { readFileSync } from "node:fs";

const printed = readFileSync(process.env.TOLLGATE_STDOUT, "utf8");
export const baseURL = printed.match(/^Tollgate serves (\S+)/m)[1];
export const apiKey = printed.match(/sk-llm-[A-Za-z0-9]+/)[0];
export const narrowKey = process.env.TOLLGATE_NARROW_KEY;
const providerURL = `http://127.0.0.1:${process.env.PROVIDER_PORT}/`;

/** Returns the requests of the scripted provider by model, `asked`, and those that their client `left`. */
export const counts = async () => (await fetch(providerURL)).json();
