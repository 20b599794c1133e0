// The models of the gateway and their names at the scripted provider: one for each flow in each dialect.
import { flows } from "./flows.mjs";
import { anthropic } from "./dialects/anthropic.mjs";
import { bedrock } from "./dialects/bedrock.mjs";
import { cohere } from "./dialects/cohere.mjs";
import { gemini } from "./dialects/gemini.mjs";
import { ollama } from "./dialects/ollama.mjs";
import { azure, openai } from "./dialects/openai.mjs";

/** The gateway's provider, the format in which it is asked, and a model of which the gateway knows what it takes. */
export const hosts = {
  openai: { dialect: openai, model: "gpt-5-mini" },
  azure: { dialect: azure, model: "gpt-4o" },
  anthropic: { dialect: anthropic, model: "claude-haiku-4-5" },
  "vertex-claude": { dialect: anthropic, model: "claude-haiku-4-5@20251001" },
  bedrock: { dialect: bedrock, model: "eu.anthropic.claude-haiku-4-5-20251001-v1:0" },
  gemini: { dialect: gemini, model: "gemini-3-flash-preview" },
  vertex: { dialect: gemini, model: "gemini-2.5-flash" },
  cohere: { dialect: cohere, model: "command-a" },
  ollama: { dialect: ollama, model: "llama3.2" },
  /** For counts of requests that no other test disturbs. */
  counted: { dialect: openai, model: "counted" },
};

/** The names of the dialects in which every client plays every flow. */
export const dialectNames = Object.keys(hosts).filter((name) => name !== "counted");

/** Clients that have a model of their own for flows with a state at the gateway or the provider. */
export const clientIds = [
  "openai-chat",
  "openai-responses",
  "ai-sdk-chat",
  "ai-sdk-responses",
  "ai-sdk-compatible",
  "langchain-chat",
  "langchain-responses",
  "llamaindex-chat",
  "llamaindex-responses",
  "python-chat",
  "python-responses",
  "counted",
];

const names = Object.entries(flows).flatMap(([flow, { perClient }]) =>
  perClient ? clientIds.map((id) => `${flow}.${id}`) : [flow]);

/** Returns the lines of all models of a configuration. */
export const modelLines = () =>
  Object.entries(hosts).flatMap(([provider, { model }]) =>
    names.map((name) => `  ${provider}/${name}: ${JSON.stringify({
      modality: "chat",
      capabilities: ["streaming", "tools", "vision", "json_schema"],
      price: { input: "0.15", output: "0.60" },
      routes: [{ provider, model: `${model}--${name}` }],
    })}`));

/** Returns the flow of a model, given its name at the provider, and its name at the gateway, by which it is counted. */
export const playedBy = (upstream) => {
  const [model, name] = upstream.split("--");
  const [provider] = Object.entries(hosts).find(([, host]) => host.model === model);
  return { flow: flows[name.split(".")[0]], counted: `${provider}/${name}` };
};
