// The usual flows of a client as a provider with OpenAI's API scripts them: the model's name is the flow.
const cities = [["Ulm", "Bonn"], ["Rome", "Oslo"], ["Kyiv", "Bern"]];
const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
const head = (object) => ({ id: "c-1", object, created: 1, model: "m" });
const limited = new Set();

const calls = (round) =>
  cities[round].map((city, k) => ({
    id: `call_${round}_${k}`,
    type: "function",
    function: { name: "weather", arguments: JSON.stringify({ city }) },
  }));

const text = (content) => ({ message: { role: "assistant", content, refusal: null }, finish: "stop" });

const partsOf = ({ messages }) => messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));

const plain = (content) => (Array.isArray(content) ? content.map((part) => part.text).join("") : content);

const flows = {
  words: () => text("One two three four."),
  /** Repeats what the assistant has said before. */
  turns: ({ messages }) => {
    const said = messages.filter(({ role }) => role === "assistant").map(({ content }) => plain(content));
    return text(`Before: ${said.length === 0 ? "nothing" : said.join(", ")}.`);
  },
  /** Two calls at once, three times; then what the tools said, in the order of the calls. */
  rounds: ({ messages }) => {
    const results = messages.filter(({ role }) => role === "tool");
    const round = results.length / 2;
    if (round === cities.length) {
      const asked = messages.flatMap(({ tool_calls }) => tool_calls ?? []);
      const said = asked.map(({ id }) => results.find((one) => one.tool_call_id === id).content);
      return text(said.join(", "));
    }
    const message = { role: "assistant", content: null, refusal: null, tool_calls: calls(round) };
    return { message, finish: "tool_calls" };
  },
  /** An object only where a strict schema is asked for. */
  schema: ({ response_format: format }) =>
    format?.type === "json_schema" && format.json_schema.strict && format.json_schema.schema.properties.celsius
      ? text('{"city":"Ulm","celsius":21}')
      : text("It is warm."),
  picture: (request) => {
    const [image] = partsOf(request).filter(({ type }) => type === "image_url");
    return text(image?.image_url.url.startsWith("data:image/png;base64,iVBOR") ? "a picture" : "nothing");
  },
  /** A rate limit for the first request with these words. */
  limited: ({ messages }) => {
    const asked = JSON.stringify(messages);
    if (limited.has(asked)) return text("served");
    limited.add(asked);
    return null;
  },
};

const sse = (all) => all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");

const streamed = ({ message, finish }) => {
  const chunk = (delta, finish_reason = null) => ({
    ...head("chat.completion.chunk"),
    choices: [{ index: 0, delta, finish_reason }],
  });
  const words = message.content?.match(/\S+\s*/g) ?? [];
  const fragments = (message.tool_calls ?? []).flatMap(({ function: { name, arguments: all }, ...call }, index) => [
    { index, ...call, function: { name, arguments: "" } },
    { index, function: { arguments: all.slice(0, 5) } },
    { index, function: { arguments: all.slice(5) } },
  ]);
  return sse([
    chunk({ role: "assistant", content: "" }),
    ...words.map((content) => chunk({ content })),
    ...fragments.map((one) => chunk({ tool_calls: [one] })),
    chunk({}, finish),
    { ...head("chat.completion.chunk"), choices: [], usage },
  ]).concat("data: [DONE]\n\n");
};

/** Answers a request for one of these flows; returns false for any other. */
export const answerFlow = (request, response) => {
  const flow = flows[request.model];
  if (!flow) return false;
  const reply = flow(request);
  if (reply === null) {
    response.writeHead(429, { "Content-Type": "application/json", "Retry-After": "3" });
    response.end('{"error":{"message":"slow down","code":"rate_limit_exceeded"}}');
  } else if (request.stream) {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.end(streamed(reply));
  } else {
    const choices = [{ index: 0, message: reply.message, logprobs: null, finish_reason: reply.finish }];
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ ...head("chat.completion"), choices, usage }));
  }
  return true;
};
