// The usual flows of a client as every scripted provider plays them: each has a chat, in no provider's format, and
// returns the reply. A flow that is `perClient` is played by a model of its own for each client.
const cities = [["Ulm", "Bonn"], ["Rome", "Oslo"], ["Kyiv", "Bern"]];
const callsOf = (round) =>
  cities[round].map((city, k) => ({ id: `call_${round}_${k}`, name: "weather", given: { city } }));
const ofRole = ({ messages }, wanted) => messages.filter(({ role }) => role === wanted);

const refused = (fault, message) => ({ play: () => ({ fault, message }) });
/** The gateway then does not use the key for this model: what another client may meet in between is not of this test. */
const refusedByKey = (fault) => ({ ...refused(fault), perClient: true });

export const flows = {
  words: { play: () => ({ text: "One two three four." }) },

  /** Repeats what the assistant has said before. */
  turns: {
    play: (chat) => {
      const said = ofRole(chat, "assistant").map(({ text }) => text);
      return { text: `Before: ${said.length === 0 ? "nothing" : said.join(", ")}.` };
    },
  },

  /** Two calls at once, three times; then what the tools said, beside what they were asked. */
  rounds: {
    play: (chat) => {
      if (!chat.tools.includes("weather")) return { fault: "rejected", message: "no tool is called weather" };
      const asked = chat.messages.flatMap(({ calls }) => calls);
      const results = ofRole(chat, "tool");
      if (asked.length !== results.length) return { fault: "rejected", message: "a call has no result" };
      const round = results.length / 2;
      if (round < cities.length) return { calls: callsOf(round) };
      const said = asked.map(({ id, given: { city } }) => `${city}: ${results.find((one) => one.id === id)?.text}`);
      return { text: said.join(", ") };
    },
  },

  /** An object only where a schema is demanded. */
  schema: {
    play: ({ schema }) => ({ text: schema?.properties.celsius ? '{"city":"Ulm","celsius":21}' : "It is warm." }),
  },

  picture: {
    play: ({ messages }) => {
      const pictures = messages.flatMap(({ pictures }) => pictures);
      return { text: pictures.length === 1 && pictures[0].startsWith("iVBOR") ? "a picture" : "nothing" };
    },
  },

  /** A rate limit for the first request. */
  "limited-once": {
    perClient: true,
    play: (chat, asked) => (asked === 1 ? { fault: "limited" } : { text: "served" }),
  },

  /** A failure for as many requests as the gateway makes for one of a client. */
  "failing-twice": {
    perClient: true,
    play: (chat, asked) => (asked <= 2 ? { fault: "failing" } : { text: "served" }),
  },

  /** The connection ends amid the text, or the body does as if it were whole. */
  "cut-amid-content": { play: () => ({ text: "Once", ends: "cut" }) },
  "ended-amid-content": { play: () => ({ text: "Once", ends: "early" }) },
  "cut-amid-calls": { play: () => ({ calls: callsOf(0).slice(0, 1), ends: "cut" }) },
  disconnected: { play: () => ({ ends: "at once" }) },
  silent: { perClient: true, play: () => ({ ends: "unheard" }) },
  endless: { perClient: true, play: () => ({ text: "word ", ends: "never" }) },

  rejected: refused("rejected", "The value of that member is wrong."),
  "too-long": refused("too-long"),
  "content-filtered": refused("content-filtered"),
  "credential-refused": refusedByKey("credential-refused"),
  "model-forbidden": refusedByKey("model-forbidden"),
  "model-missing": refused("model-missing"),
  limited: refused("limited"),
  failing: refused("failing"),
};
