// LangChain's model for OpenAI's API, over chats and Responses.
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { playAll } from "../cases.mjs";
import {
  Answer, City, DESCRIPTION, openaiError, openaiErrors, picture, question, ROUNDS_MAX, textsOf, usual, weather,
} from "./common.mjs";

const gathered = async (stream) => {
  let all = null;
  for await (const chunk of await stream) all = all ? all.concat(chunk) : chunk;
  return all;
};

const tools = [{
  type: "function",
  function: { name: "weather", description: DESCRIPTION, parameters: z.toJSONSchema(City) },
}];

const finishOf = ({ response_metadata: { finish_reason, status } }) =>
  finish_reason ?? (status === "completed" ? "stop" : status);

const langchain = (name, id, useResponsesApi) => {
  const modelOf = (model, { apiKey = usual.apiKey, fetch, maxRetries = 2 } = {}) =>
    new ChatOpenAI({ model, apiKey, configuration: { baseURL: usual.baseURL, fetch }, maxRetries, useResponsesApi });
  const whole = (all) => ({ text: all.text, tokens: all.usage_metadata.total_tokens, finish: finishOf(all) });
  return {
    name,
    id,
    errors: openaiErrors,
    /** By the words that it knows. */
    tooLong: (dialect) => (["openai", "azure"].includes(dialect) ? "ContextOverflowError" : "BadRequestError"),
    seen: (error) => ({ ...openaiError(error.cause ?? error), name: error.constructor.name }),
    honoursRetryAfter: false,
    plain: async (model, options) => whole(await modelOf(model, options).invoke("Go.")),
    stream: async (model) => whole(await gathered(modelOf(model).stream("Go."))),
    read: (model, { signal, ...options } = {}) =>
      textsOf(modelOf(model, options).stream("Go.", { signal }), (chunk) => chunk.text),
    async rounds(model, stream) {
      const bound = modelOf(model).bindTools(tools);
      const messages = [new HumanMessage("Go.")];
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const answer = await (stream ? gathered(bound.stream(messages)) : bound.invoke(messages));
        if (!answer.tool_calls?.length) return answer.text;
        messages.push(answer);
        for (const { id: call, args } of answer.tool_calls) {
          messages.push(new ToolMessage({ tool_call_id: call, content: weather(args) }));
        }
      }
      throw new Error("the calls do not end");
    },
    async turns(model) {
      const messages = [new HumanMessage("Go.")];
      messages.push(await modelOf(model).invoke(messages), new HumanMessage("Go on."));
      return (await modelOf(model).invoke(messages)).text;
    },
    async schema(model) {
      const options = { method: "jsonSchema", strict: true, name: "answer" };
      return modelOf(model).withStructuredOutput(Answer, options).invoke("Go.");
    },
    async picture(model) {
      const content = [{ type: "text", text: question }, { type: "image_url", image_url: { url: picture } }];
      return (await modelOf(model).invoke([new HumanMessage({ content })])).text;
    },
  };
};

playAll(langchain("LangChain, chat", "langchain-chat", false));
playAll(langchain("LangChain, responses", "langchain-responses", true));
