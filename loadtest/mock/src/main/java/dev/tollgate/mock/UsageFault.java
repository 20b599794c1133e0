package dev.tollgate.mock;

import static dev.tollgate.mock.MockFault.fault;

import dev.tollgate.mock.StreamEvent.Kind;

/**
 * Mock provider fault that sends the token usage in an unusual place or with unusual values. All
 * send it, even if it was not requested.
 */
enum UsageFault implements MockFault {
  NONE(
      fault(
          "no-usage",
          "no usage, although the request asks for it",
          (d, k) -> d.body(d.text().bodyWithoutUsage()).drop(Kind.USAGE))),
  OWN_CHUNK(
      fault(
          "usage-own-chunk",
          "in a separate chunk, also if not requested",
          (d, k) -> alone(d, d.text().usageChunk(d.text().usage())))),
  ON_FINISH(
      fault(
          "usage-on-finish",
          "on the chunk that carries finish_reason",
          (d, k) ->
              d.drop(Kind.USAGE)
                  .replaceData(
                      Kind.FINISH,
                      _ -> with(d, d.text().finish(d.text().finishReason()), d.text().usage())))),
  EMPTY_DELTA(
      fault(
          "usage-empty-delta",
          "on a chunk with an empty delta after the finish",
          (d, k) -> alone(d, with(d, ChatText.choice("{}", null), d.text().usage())))),
  CUMULATIVE(
      fault(
          "usage-cumulative",
          "on every content chunk, counted up",
          (d, k) -> {
            d.drop(Kind.USAGE);
            int[] n = {0};
            d.replaceData(
                Kind.CONTENT,
                _ -> {
                  int out = n[0]++;
                  String soFar = ChatText.usage(d.text().promptTokens(), out + 1);
                  return with(d, d.text().content(out), soFar);
                });
          })),
  NULLS(
      fault(
          "usage-nulls",
          "`usage: null` on every chunk, the value in the last",
          (d, k) -> {
            int[] n = {0};
            d.replaceData(Kind.CONTENT, _ -> with(d, d.text().content(n[0]++), "null"));
            alone(d, d.text().usageChunk(d.text().usage()));
          })),
  EMPTY_OBJECT(fault("usage-empty", "`usage: {}`", (d, k) -> replace(d, "{}"))),
  X_GROQ(
      fault(
          "usage-x-groq",
          "in `x_groq.usage` on the finish chunk only",
          (d, k) ->
              d.body(d.text().bodyWithoutUsage())
                  .drop(Kind.USAGE)
                  .replaceData(
                      Kind.FINISH,
                      _ ->
                          d.text()
                              .chunk(
                                  "[" + d.text().finish(d.text().finishReason()) + "]",
                                  ",\"x_groq\":{\"id\":\"req_mock\",\"usage\":"
                                      + d.text().usage()
                                      + "}")))),
  EARLY(
      fault(
          "usage-early",
          4,
          "in a separate chunk after k content events, before the finish",
          (d, k) -> d.drop(Kind.USAGE).insert(k, d.text().usageChunk(d.text().usage())))),
  LATE(
      fault(
          "usage-late",
          4,
          "k intervals after the finish, and `[DONE]` with it",
          (d, k) -> d.delay(Kind.USAGE, k).delay(Kind.DONE, k))),
  TWICE(
      fault(
          "usage-twice",
          "two chunks with different usage, the last one right",
          (d, k) -> {
            alone(d, d.text().usageChunk(d.text().usage()));
            d.insertAfter(Kind.FINISH, d.text().usageChunk(ChatText.usage(1, 1)));
          })),
  ZERO(fault("usage-zero", "zero in all places", (d, k) -> replace(d, ChatText.usage(0, 0)))),
  NEGATIVE(
      fault("usage-negative", "negative counts", (d, k) -> replace(d, ChatText.usage(-5, -7)))),
  ABSURD(
      fault(
          "usage-absurd",
          "counts far above any context",
          (d, k) -> replace(d, usage("1000000000000", "1000000000000", "2000000000000")))),
  TEXT(
      fault(
          "usage-text",
          "counts that are strings and fractions",
          (d, k) -> replace(d, usage("\"12\"", "3.5", "\"many\""))));

  @SuppressWarnings("ImmutableEnumChecker") // a record of constants and a lambda without state
  private final Spec spec;

  UsageFault(Spec spec) {
    this.spec = spec;
  }

  @Override
  public Spec spec() {
    return spec;
  }

  /** Sends the usage in one chunk between the finish and {@code [DONE]}. */
  private static void alone(ReplyDraft draft, String chunk) {
    draft.drop(Kind.USAGE).insertAfter(Kind.FINISH, chunk);
  }

  private static void replace(ReplyDraft draft, String usage) {
    draft.body(draft.text().bodyWithUsage(usage));
    alone(draft, draft.text().usageChunk(usage));
  }

  private static String with(ReplyDraft draft, String choice, String usage) {
    return draft.text().chunk("[" + choice + "]", ",\"usage\":" + usage);
  }

  private static String usage(String prompt, String completion, String total) {
    return "{\"prompt_tokens\":%s,\"completion_tokens\":%s,\"total_tokens\":%s}"
        .formatted(prompt, completion, total);
  }
}
