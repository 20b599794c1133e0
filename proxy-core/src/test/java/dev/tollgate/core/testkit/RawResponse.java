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

  /**
   * Returns the body split into server-sent events: the blocks between blank lines, comments
   * included.
   */
  public List<String> events() {
    return Arrays.stream(text().split("\\R\\R", -1)).filter(block -> !block.isEmpty()).toList();
  }
}
