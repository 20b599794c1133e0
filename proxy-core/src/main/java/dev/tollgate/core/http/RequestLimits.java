package dev.tollgate.core.http;

/**
 * Size limits of a client's HTTP requests, which the {@link RequestDecoder} enforces.
 *
 * @param lineBytesMax size of the request line with its CRLF
 * @param headBytesMax size of the request line and fields together
 * @param headersMax number of field lines
 * @param leadingBlankLinesMax number of empty lines skipped before a request line
 * @param heldBytesMax number of bytes of following requests that are held while a request runs
 */
public record RequestLimits(
    int lineBytesMax,
    int headBytesMax,
    int headersMax,
    int leadingBlankLinesMax,
    int heldBytesMax) {

  public static final RequestLimits DEFAULT = new RequestLimits(8192, 32 * 1024, 100, 2, 64 * 1024);

  /**
   * Returns the defaults with the configured size of a head ({@code
   * listeners.api.max_header_bytes}).
   */
  public static RequestLimits ofHeadBytes(int headBytesMax) {
    return new RequestLimits(
        Math.min(DEFAULT.lineBytesMax, headBytesMax),
        headBytesMax,
        DEFAULT.headersMax,
        DEFAULT.leadingBlankLinesMax,
        DEFAULT.heldBytesMax);
  }

  HeadLimits head() {
    return new HeadLimits(lineBytesMax, headBytesMax, headersMax, leadingBlankLinesMax);
  }
}
