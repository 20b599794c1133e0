// Prints the configuration of the gateway under test: tollgate.yaml with the provider's port, given as the argument,
// and the models of models.mjs.
import { readFileSync } from "node:fs";
import { modelLines } from "./models.mjs";

const [, , port] = process.argv;
const fixed = readFileSync(new URL("tollgate.yaml", import.meta.url), "utf8").replaceAll("PROVIDER_PORT", port);
console.log(fixed + modelLines().join("\n"));
