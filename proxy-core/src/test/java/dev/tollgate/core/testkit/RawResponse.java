package dev.tollgate.core.testkit;

import java.util.Arrays;
import java.util.List;

/** Response that a {@link RawClient} received, with its raw bytes. */
public final class RawResponse extends WireMessage {
  RawResponse(String startLine, List<String> headerLines, byte[] body, byte[] raw) {
    super(startLine, headerLines, body, raw);
  }

  public int status() {
    return Integer.parseInt(startLine().split(" ", -1)[1]);
  }

  /** True if the connection ended without the last chunk of the body. */
  public boolean isTruncated() {
    return header("transfer-encoding") != null && !rawText().endsWith("\r\n0\r\n\r\n");
  }

  /**
   * Returns the body split into server-sent events: the blocks between blank lines, comments
   * included.
   */
  public List<String> events() {
    return Arrays.stream(text().split("\\R\\R", -1)).filter(block -> !block.isEmpty()).toList();
  }
}
