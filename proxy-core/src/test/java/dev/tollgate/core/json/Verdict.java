package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What the two readers say of a document; a test fails where they differ. */
final class Verdict {
  private Verdict() {}

  /** {@code ok}, or the reason of the refusal. */
  static String ofBoth(byte[] document) {
    byte[] framed = new byte[document.length + 20];
    Arrays.fill(framed, (byte) '"');
    System.arraycopy(document, 0, framed, 9, document.length);
    int to = 9 + document.length;
    JsonMembers scanned = new JsonMembers();
    String scannerSays = verdict(() -> scanned.read(framed, 9, to));
    JsonMembers parsed = new JsonMembers();
    String parserSays = verdict(() -> JsonReader.read(framed, 9, to, parsed));
    String text = new String(document, StandardCharsets.UTF_8);
    assertThat(parserSays).as("both readers of %s", text).isEqualTo(scannerSays);
    if (scannerSays.equals("ok")) {
      assertSame(scanned, parsed, text);
    }
    return scannerSays;
  }

  private static void assertSame(JsonMembers scanned, JsonMembers parsed, String text) {
    assertThat(layout(parsed)).as("layout of %s", text).isEqualTo(layout(scanned));
  }

  private static String layout(JsonMembers members) {
    StringBuilder layout = new StringBuilder();
    layout.append(members.start()).append("..").append(members.end());
    for (int i = 0; i < members.size(); i++) {
      layout.append(' ').append(members.nameStart(i)).append(',').append(members.nameEnd(i));
      layout.append(',').append(members.valueStart(i)).append(',').append(members.valueEnd(i));
      layout.append(',').append(members.kind(i)).append(',').append(members.depth(i));
    }
    return layout.toString();
  }

  private static String verdict(Reading reading) {
    try {
      reading.run();
      return "ok";
    } catch (InvalidJson e) {
      return e.reason().name();
    }
  }

  @FunctionalInterface
  private interface Reading {
    void run() throws InvalidJson;
  }
}
