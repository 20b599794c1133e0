// What a scripted model answers, in no provider's format. The first words of the user name the flow.
const cities = [["Ulm", "Bonn"], ["Rome", "Oslo"], ["Kyiv", "Bern"]];
const asked = new Map();

/** Counts the requests with these words. */
const count = (words) => {
  asked.set(words, (asked.get(words) ?? 0) + 1);
  return asked.get(words);
};

const text = (said) => ({ text: said, calls: [] });

// Each gets {words, results, picture, schema}: the results of tools in the order of their calls.
const flows = {
  words: () => text("One two three four."),
  /** Two calls at once, three times; then what the tools said. */
  rounds: ({ results }) => {
    const round = results.length / 2;
    if (round === cities.length) return text(results.join(", "));
    const calls = cities[round].map((city, k) => ({ id: `call_${round}_${k}`, city }));
    return { text: "", calls };
  },
  /** An object only where a schema is asked for. */
  schema: ({ schema }) =>
    text(schema?.properties?.celsius ? '{"city":"Ulm","celsius":21}' : "It is warm."),
  picture: ({ picture }) => text(picture?.startsWith("iVBORw0KGgo") ? "a picture" : "nothing"),
  /** A rate limit, longer than a gateway waits itself, for the first request with these words. */
  "limited-once": ({ words }) => (count(words) === 1 ? { refused: "limited" } : text("served")),
  /** Fails for the first request with these words and for the gateway's own repetition. */
  "failing-twice": ({ words }) => (count(words) <= 2 ? { refused: "failing" } : text("served")),
  limited: () => ({ refused: "limited" }),
  failing: () => ({ refused: "failing" }),
  "too-long": () => ({ refused: "long" }),
  /** Ends behind its first word, without the format's own end. */
  "cut-amid-content": () => ({ ...text("Once"), isCut: true }),
  /** Words without end, until the gateway leaves. */
  endless: () => ({ ...text("word "), isEndless: true }),
};

export const answer = (request) => flows[request.words.split(" ")[0]](request);
