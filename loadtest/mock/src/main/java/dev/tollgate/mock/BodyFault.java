package dev.tollgate.mock;

import static dev.tollgate.mock.MockFault.fault;

import java.time.Duration;

/** Mock provider fault in the transfer of a reply's body, independent of its content. */
public enum BodyFault implements MockFault {
  HANG_AFTER_HEAD(
      fault(
          "silent-after-head",
          "200 and the head at once, then nothing",
          (d, k) ->
              d.headAtOnce()
                  .truncateBody(0)
                  .dropAllEvents()
                  .unterminated()
                  .ending(ReplyEnding.HANG))),
  EMPTY(
      fault(
          "empty",
          "200 and an end without any event; plain: no body",
          (d, k) -> d.body("").dropAllEvents())),
  STALL(
      fault(
          "stall",
          4,
          "k content events, then nothing; plain: half the body",
          (d, k) -> d.truncateBody(2).truncateAfter(k).unterminated().ending(ReplyEnding.HANG))),
  CUT_FIN(
      fault(
          "cut-fin",
          4,
          "k content events, then FIN; plain: half the body",
          (d, k) -> d.truncateBody(2).truncateAfter(k).unterminated().ending(ReplyEnding.FIN))),
  CUT_RST(
      fault(
          "cut-rst",
          4,
          "k content events, then RST; plain: half the body",
          (d, k) -> d.truncateBody(2).truncateAfter(k).unterminated().ending(ReplyEnding.RST))),
  CUT_CHUNK(
      fault(
          "cut-chunk",
          4,
          "k content events, then an invalid chunk size",
          (d, k) -> badChunk(d, k, "zz\r\n"))),
  CHUNK_BARE_LF(
      fault(
          "chunk-bare-lf",
          4,
          "k content events, then a chunk whose size line ends with LF alone",
          (d, k) -> badChunk(d, k, "5\nhello\r\n0\r\n\r\n"))),
  CHUNK_OVERFLOW(
      fault(
          "chunk-overflow",
          4,
          "k content events, then a chunk size of 17 hexadecimal digits",
          (d, k) -> badChunk(d, k, "10000000000000005\r\nhello\r\n0\r\n\r\n"))),
  CUT_CLEAN(
      fault(
          "cut-clean",
          4,
          "k content events, then a clean end of the body",
          (d, k) -> d.body(d.halfBody()).truncateAfter(k))),
  CUT_BYTE(
      fault(
          "cut-byte",
          700,
          "FIN after k bytes of the reply, head included",
          (d, k) -> d.cutAt(k, ReplyEnding.FIN))),
  CUT_BYTE_RST(
      fault(
          "cut-byte-rst",
          700,
          "RST after k bytes of the reply, head included",
          (d, k) -> d.cutAt(k, ReplyEnding.RST))),
  STALL_BYTE(
      fault(
          "stall-byte",
          700,
          "nothing after k bytes of the reply, head included",
          (d, k) -> d.cutAt(k, ReplyEnding.HANG))),
  BYTE_WRITES(
      fault(
          "byte-writes",
          "each byte of the body in a write of its own",
          (d, k) -> d.byteByByte(Duration.ZERO, false))),
  DRIP(
      fault(
          "drip",
          20,
          "one byte of the body each k ms",
          (d, k) -> d.byteByByte(Duration.ofMillis(k), false))),
  DRIP_EVENT(
      fault(
          "drip-event",
          4,
          "k content events, the next byte by byte, one each interval (at least 20 ms)",
          (d, k) -> d.dripEvent(k))),
  GZIP(fault("gzip", "a gzip body, although the request asks for identity", (d, k) -> d.gzip())),
  BR(
      fault(
          "br",
          "a body labelled br, although the request asks for identity",
          (d, k) -> d.header("Content-Encoding: br"))),
  CHUNK_EXTENSION(
      fault(
          "chunk-extension",
          "legal chunk extensions",
          (d, k) -> d.coding(BodyCoding.CHUNKED).chunkExtension(";x=\"y\""))),
  TRAILERS(
      fault(
          "trailers",
          "legal trailers after the last chunk",
          (d, k) -> d.coding(BodyCoding.CHUNKED).trailers("X-Trailer: 1\r\n"))),
  UNTIL_CLOSE(
      fault(
          "until-close",
          "neither length nor chunks: the body ends with FIN",
          (d, k) -> d.coding(BodyCoding.UNTIL_CLOSE))),
  HTTP_10(
      fault(
          "http-1-0",
          "an HTTP/1.0 reply whose body ends with FIN",
          (d, k) -> d.version("HTTP/1.0").coding(BodyCoding.UNTIL_CLOSE))),
  SHORT_BODY(
      fault(
          "short-body",
          10,
          "k bytes less than Content-Length, then FIN",
          (d, k) -> d.lengthOff(k).ending(ReplyEnding.FIN))),
  CUT_LENGTH(
      fault(
          "cut-length",
          4,
          "k content events, fewer bytes than Content-Length, then FIN; plain: half the body",
          (d, k) -> d.truncateAfter(k).lengthOff(99).truncateBody(2).ending(ReplyEnding.FIN))),
  LONG_BODY(fault("long-body", 10, "k bytes more than Content-Length", (d, k) -> d.lengthOff(-k))),
  SECOND_REPLY(
      fault(
          "second-reply",
          "a complete second, unsolicited reply",
          (d, k) -> d.afterBody("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")));

  @SuppressWarnings("ImmutableEnumChecker") // a record of constants and a lambda without state
  private final Spec spec;

  BodyFault(Spec spec) {
    this.spec = spec;
  }

  @Override
  public Spec spec() {
    return spec;
  }

  private static void badChunk(ReplyDraft draft, int k, String bytes) {
    draft
        .coding(BodyCoding.CHUNKED)
        .truncateAfter(k)
        .unterminated()
        .afterBody(bytes)
        .ending(ReplyEnding.FIN);
  }
}
