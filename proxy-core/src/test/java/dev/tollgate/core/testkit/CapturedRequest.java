package dev.tollgate.core.testkit;

import java.util.List;

/** Request that a {@link ScriptedUpstream} received, with its raw bytes. */
public final class CapturedRequest extends WireMessage {
  CapturedRequest(String startLine, List<String> headerLines, byte[] body, byte[] raw) {
    super(startLine, headerLines, body, raw);
  }

  public String method() {
    return startLine().split(" ", -1)[0];
  }

  /** The request target as sent, query included. */
  public String target() {
    String[] words = startLine().split(" ", -1);
    return words.length > 1 ? words[1] : "";
  }
}
