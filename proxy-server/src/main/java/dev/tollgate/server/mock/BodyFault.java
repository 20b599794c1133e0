package dev.tollgate.server.mock;

import static dev.tollgate.server.mock.MockFault.fault;

import java.time.Duration;

/** Goes wrong in the transfer of the body, whatever the body says. */
enum BodyFault implements MockFault {
  SILENT_AFTER_HEAD(
      fault(
          "silent-after-head",
          "200 and the head at once, then nothing",
          (d, k) -> d.headAtOnce().bodyCut(0).keepNone().unterminated().ending(Ending.SILENCE))),
  EMPTY(
      fault(
          "empty",
          "200 and an end without any event; plain: no body",
          (d, k) -> d.body("").keepNone())),
  STALL(
      fault(
          "stall",
          4,
          "k content events, then nothing; plain: half the body",
          (d, k) -> d.bodyCut(2).keep(k).unterminated().ending(Ending.SILENCE))),
  CUT_FIN(
      fault(
          "cut-fin",
          4,
          "k content events, then FIN; plain: half the body",
          (d, k) -> d.bodyCut(2).keep(k).unterminated().ending(Ending.FIN))),
  CUT_RST(
      fault(
          "cut-rst",
          4,
          "k content events, then RST; plain: half the body",
          (d, k) -> d.bodyCut(2).keep(k).unterminated().ending(Ending.RST))),
  CUT_CHUNK(
      fault(
          "cut-chunk",
          4,
          "k content events, then a chunk size that is none",
          (d, k) ->
              d.coding(Draft.Coding.CHUNKED)
                  .keep(k)
                  .unterminated()
                  .afterBody("zz\r\n")
                  .ending(Ending.FIN))),
  CUT_CLEAN(
      fault(
          "cut-clean",
          4,
          "k content events, then a clean end of the body",
          (d, k) -> d.body(d.half()).keep(k))),
  CUT_BYTE(
      fault(
          "cut-byte",
          700,
          "FIN after k bytes of the reply, head included",
          (d, k) -> d.cutAt(k).ending(Ending.FIN))),
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
  GZIP(fault("gzip", "a gzip body although identity was asked for", (d, k) -> d.gzip())),
  CHUNK_EXTENSION(
      fault(
          "chunk-extension",
          "legal chunk extensions",
          (d, k) -> d.coding(Draft.Coding.CHUNKED).chunkExtension(";x=\"y\""))),
  TRAILERS(
      fault(
          "trailers",
          "legal trailers behind the last chunk",
          (d, k) -> d.coding(Draft.Coding.CHUNKED).trailers("X-Trailer: 1\r\n"))),
  UNTIL_CLOSE(
      fault(
          "until-close",
          "neither length nor chunks: FIN ends the body",
          (d, k) -> d.coding(Draft.Coding.UNTIL_CLOSE))),
  SHORT_BODY(
      fault(
          "short-body",
          10,
          "k bytes less than Content-Length, then FIN",
          (d, k) -> d.lengthOff(k).ending(Ending.FIN))),
  LONG_BODY(fault("long-body", 10, "k bytes more than Content-Length", (d, k) -> d.lengthOff(-k))),
  SECOND_REPLY(
      fault(
          "second-reply",
          "a whole second reply that nobody asked for",
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
}
