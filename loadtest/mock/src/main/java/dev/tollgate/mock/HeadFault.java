package dev.tollgate.mock;

import static dev.tollgate.mock.MockFault.fault;

import java.time.Duration;

/** Mock provider fault before or in the head of the reply. */
public enum HeadFault implements MockFault {
  RESET_BEFORE_HEAD(
      fault("reset-before-head", "RST after the request", (d, k) -> d.raw("", ReplyEnding.RST))),
  CLOSE_BEFORE_HEAD(
      fault("close-before-head", "FIN after the request", (d, k) -> d.raw("", ReplyEnding.FIN))),
  NO_RESPONSE(
      fault(
          "silent", "takes the request and never answers", (d, k) -> d.raw("", ReplyEnding.HANG))),
  CUT_HEAD(
      fault(
          "cut-head", 20, "FIN after k bytes of the head", (d, k) -> d.cutAt(k, ReplyEnding.FIN))),
  SLOW_HEAD(
      fault(
          "slow-head",
          100,
          "the head byte by byte, one each k ms",
          (d, k) -> d.headAtOnce().byteByByte(Duration.ofMillis(k), true))),
  EARLY(
      fault(
          "early",
          413,
          "status k before the request body is complete; the rest of it is discarded",
          (d, k) -> StatusFault.refuse(d, k, "status_" + k))),
  HUGE_HEAD(
      fault(
          "huge-head",
          64,
          "a header line of k KiB",
          (d, k) -> d.header("X-Huge: " + "h".repeat(Math.min(k, 4096) << 10)))),
  MANY_HEADERS(
      fault(
          "many-headers",
          200,
          "k header lines",
          (d, k) -> {
            for (int i = 0; i < k; i++) {
              d.header("X-Many-" + i + ": 1");
            }
          })),
  NOT_HTTP(
      fault(
          "not-http",
          "an SSH banner, then FIN",
          (d, k) -> d.raw("SSH-2.0-mock\r\n", ReplyEnding.FIN))),
  INFORMATIONAL(
      fault(
          "informational",
          1,
          "k times 103, then the reply",
          (d, k) -> d.beforeHead("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(k)))),
  SWITCHING(
      fault(
          "switching",
          "an unsolicited 101",
          (d, k) ->
              d.raw(
                  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: mock\r\nConnection: Upgrade\r\n\r\n",
                  ReplyEnding.HANG))),
  TWO_LENGTHS(
      fault(
          "two-lengths",
          "two Content-Length lines that differ",
          (d, k) -> d.header("Content-Length: 1").lengthOff(0))),
  NEGATIVE_LENGTH(
      fault(
          "negative-length",
          "Content-Length: -1",
          (d, k) -> d.header("Content-Length: -1").coding(BodyCoding.UNTIL_CLOSE))),
  LENGTH_AND_CHUNKED(
      fault(
          "length-and-chunked",
          "Content-Length beside Transfer-Encoding",
          (d, k) -> d.header("Content-Length: 5").coding(BodyCoding.CHUNKED))),
  STALE(
      fault(
          "stale",
          "a whole reply, then FIN at the first byte of the next request",
          (d, k) -> d.ending(ReplyEnding.STALE_FIN))),
  STALE_RESET(
      fault(
          "stale-reset",
          "a whole reply, then RST at the first byte of the next request",
          (d, k) -> d.ending(ReplyEnding.STALE_RST)));

  @SuppressWarnings("ImmutableEnumChecker") // a record of constants and a lambda without state
  private final Spec spec;

  HeadFault(Spec spec) {
    this.spec = spec;
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
