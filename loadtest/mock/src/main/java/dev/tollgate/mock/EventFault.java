package dev.tollgate.mock;

import static dev.tollgate.mock.MockFault.fault;

import dev.tollgate.mock.StreamEvent.Kind;

/** Mock provider fault in the content of a stream's events or of a plain body. */
enum EventFault implements MockFault {
  ERROR_FIRST(
      fault(
          "error-first",
          "an error as the first event, then the end; plain: 200 with an error",
          (d, k) -> d.body(overloaded()).dropAllEvents().insert(0, overloaded()))),
  ERROR_EVENT_FIRST(
      fault(
          "error-event-first",
          "`event: error` first, then the end; plain: 200 with an error",
          (d, k) -> d.body(overloaded()).dropAllEvents().insertFramed(0, errorEvent()))),
  ERROR_MIDWAY(
      fault(
          "error-midway",
          4,
          "k content events, an error, then `[DONE]`",
          (d, k) -> d.truncateAfter(k).insert(k, overloaded(), "[DONE]"))),
  ERROR_EVENT_MIDWAY(
      fault(
          "error-event-midway",
          4,
          "k content events, `event: error`, then the end",
          (d, k) -> d.truncateAfter(k).insertFramed(k, errorEvent()))),
  ERROR_AFTER_FINISH(
      fault(
          "error-after-finish",
          "an error after the finish, neither usage nor `[DONE]`",
          (d, k) -> d.drop(Kind.USAGE).drop(Kind.DONE).insertAfter(Kind.FINISH, overloaded()))),
  FINISH_ERROR(
      fault(
          "finish-error",
          "finish_reason `error`",
          (d, k) -> d.replaceData(Kind.FINISH, _ -> d.text().chunk(d.text().finish("error"))))),
  FINISH_NETWORK_ERROR(
      fault(
          "finish-network-error",
          "finish_reason `network_error`",
          (d, k) ->
              d.replaceData(Kind.FINISH, _ -> d.text().chunk(d.text().finish("network_error"))))),
  PINGS_ONLY(
      fault(
          "pings-only",
          "comments without end, never an event",
          (d, k) ->
              d.dropAllEvents()
                  .insertFramed(0, ": keep-alive\n\n")
                  .unterminated()
                  .ending(ReplyEnding.REPEAT))),
  MALFORMED(
      fault(
          "malformed",
          4,
          "one event of invalid JSON after k content events; plain: invalid JSON",
          (d, k) -> d.body("{\"id\":\"broken\",").insert(k, "{\"id\":\"broken\","))),
  MALFORMED_RUN(
      fault(
          "malformed-run",
          3,
          "k events of invalid JSON after the first content event",
          (d, k) -> {
            for (int i = 0; i < k; i++) {
              d.insert(1, "{\"choices\":[{\"delta\":}]}");
            }
          })),
  INVALID_UTF8(
      fault(
          "invalid-utf8",
          4,
          "one event with a byte 0xFF after k content events; plain: in the body",
          (d, k) -> d.body(brokenText(d)).insert(k, brokenText(d)))),
  WRONG_SHAPE(
      fault(
          "wrong-shape",
          "JSON that is not a chunk after each of the first six content events; plain: an array",
          (d, k) -> {
            d.body("[]");
            String[] shapes = wrongShapes(d);
            for (int n = 0; n < shapes.length; n++) {
              d.insert(n + 1, shapes[n]);
            }
          })),
  NO_CHOICES(
      fault(
          "no-choices",
          4,
          "an event without choices after k content events; plain: no choices",
          (d, k) ->
              d.body(d.text().bodyWithoutChoices()).insert(k, "{\"id\":\"x\",\"object\":\"x\"}"))),
  IDS_DIFFER(
      fault(
          "ids-differ",
          "a different id, time and model in each content event, CR LF in the model",
          (d, k) -> d.replaceData(Kind.CONTENT, EventFault::otherNames))),
  NO_DONE(fault("no-done", "no `[DONE]`", (d, k) -> d.drop(Kind.DONE))),
  NO_FINISH(fault("no-finish", "`[DONE]` without finish_reason", (d, k) -> d.drop(Kind.FINISH))),
  FINISH_ONLY(
      fault(
          "finish-only",
          "finish_reason, then the end: neither usage nor `[DONE]`",
          (d, k) -> d.body(d.text().bodyWithoutUsage()).drop(Kind.USAGE).drop(Kind.DONE))),
  CONTENT_AFTER_DONE(
      fault(
          "content-after-done",
          "a content event after `[DONE]`",
          (d, k) -> d.insertAfter(Kind.DONE, d.text().chunk(d.text().content(0))))),
  BIG_LINE(
      fault(
          "big-line",
          16,
          "one content event of k MiB after the first; plain: a body of that size",
          (d, k) -> {
            String pad = "x".repeat(Math.min(k, 512) << 20);
            d.body(d.text().bodyWithContent(pad));
            d.insert(1, d.text().chunk(ChatText.choice("{\"content\":\"" + pad + "\"}", null)));
          })),
  ENDLESS_LINE(
      fault(
          "endless-line",
          "a data line that never ends, in pieces of 64 KiB",
          (d, k) ->
              d.truncateAfter(1)
                  .insertFramed(1, "data: {\"pad\":\"", "x".repeat(64 << 10))
                  .unterminated()
                  .ending(ReplyEnding.REPEAT)));

  @SuppressWarnings("ImmutableEnumChecker") // a record of constants and a lambda without state
  private final Spec spec;

  EventFault(Spec spec) {
    this.spec = spec;
  }

  @Override
  public Spec spec() {
    return spec;
  }

  private static String overloaded() {
    return StatusFault.error("The engine is overloaded.", "server_error", "null", "overloaded");
  }

  private static String errorEvent() {
    return "event: error\ndata: " + overloaded() + "\n\n";
  }

  private static String brokenText(ReplyDraft draft) {
    return draft.isStream()
        ? draft.text().chunk(ChatText.choice("{\"content\":\"\u00ff\"}", null))
        : draft.text().bodyWithContent("\u00ff");
  }

  private static String[] wrongShapes(ReplyDraft draft) {
    ChatText text = draft.text();
    return new String[] {
      "[]",
      "null",
      "7",
      text.chunk("null", ""),
      text.chunk("[{\"index\":7,\"delta\":{\"content\":\"seven\"},\"finish_reason\":null}]", ""),
      text.chunk("[{\"index\":0,\"delta\":\"text\",\"finish_reason\":null}]", "")
    };
  }

  /** Replaces id, time and model by values derived from the event's content. */
  private static String otherNames(String data) {
    int number = data.hashCode() & 0xffff;
    return data.replaceFirst("\"id\":\"[^\"]*\"", "\"id\":\"other-" + number + "\"")
        .replaceFirst("\"created\":\\d+", "\"created\":" + number)
        .replaceFirst(
            "\"model\":\"[^\"]*\"", "\"model\":\"other\\\\r\\\\nX-Injected: " + number + "\"");
  }
}
