package dev.tollgate.mock;

import static dev.tollgate.mock.MockFault.fault;

/**
 * Mock provider fault that frames an event stream in an unusual but legal way, as other providers
 * do.
 */
enum FramingFault implements MockFault {
  CRLF(fault("sse-crlf", "lines end with CR LF", (d, k) -> d.framing(SseFraming.CRLF))),
  CR(fault("sse-cr", "lines end with CR", (d, k) -> d.framing(SseFraming.CR))),
  NO_SPACE(
      fault("sse-no-space", "`data:` without a space", (d, k) -> d.framing(SseFraming.NO_SPACE))),
  MULTI_LINE(
      fault(
          "sse-multi-line",
          "each event in three `data:` lines",
          (d, k) -> d.framing(SseFraming.MULTI_LINE))),
  COMMENTS(
      fault(
          "sse-comments",
          "comments before and inside events",
          (d, k) -> d.framing(SseFraming.COMMENTS))),
  FIELDS(
      fault(
          "sse-fields",
          "a BOM, `event:`, `id:`, `retry:` and an unknown field",
          (d, k) -> d.framing(SseFraming.FIELDS))),
  BLANKS(
      fault(
          "sse-blanks",
          "extra blank lines and an empty `data:` after each event",
          (d, k) -> d.framing(SseFraming.BLANKS)));

  @SuppressWarnings("ImmutableEnumChecker") // a record of constants and a lambda without state
  private final Spec spec;

  FramingFault(Spec spec) {
    this.spec = spec;
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
