package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Verdict of both readers on a document; a test fails if they differ. */
final class JsonVerdict {
  private static final Pattern SURROGATE_ESCAPE = Pattern.compile("\\\\u[dD][89a-fA-F]");
  private static final int PADDING = 9;

  private JsonVerdict() {}

  /**
   * Returns {@code ok}, or the reason of the refusal; the document is surrounded by other bytes.
   */
  static String ofBoth(byte[] document) {
    byte[] framed = new byte[document.length + 2 * PADDING];
    Arrays.fill(framed, (byte) '"');
    System.arraycopy(document, 0, framed, PADDING, document.length);
    int to = PADDING + document.length;
    String text = new String(document, StandardCharsets.UTF_8);
    JsonMembers scanned = new JsonMembers();
    String scannerSays = verdict(() -> scanned.read(framed, PADDING, to));
    JsonMembers parsed = new JsonMembers();
    String bothSay = verdict(() -> JsonReader.read(framed, PADDING, to, parsed));
    assertThat(bothSay).as("both readers of %s", text).isEqualTo(scannerSays);
    if (!SURROGATE_ESCAPE.matcher(text).find()) {
      assertParserAgrees(framed, to, scannerSays.equals("ok"), text);
    }
    if (scannerSays.equals("ok")) {
      assertThat(layout(parsed)).as("layout of %s", text).isEqualTo(layout(scanned));
    }
    return scannerSays;
  }

  /**
   * Only jackson-core refuses unpaired surrogates in names; the readers do not differ otherwise.
   */
  private static void assertParserAgrees(byte[] framed, int to, boolean accepted, String text) {
    String parserSays =
        verdict(
            () -> {
              JsonReader.checkEncoding(framed, PADDING, to);
              JsonReader.parse(framed, PADDING, to, new JsonMembers());
            });
    assertThat(parserSays.equals("ok")).as("jackson-core accepts %s", text).isEqualTo(accepted);
  }

  private static String layout(JsonMembers members) {
    StringBuilder layout = new StringBuilder();
    layout.append(members.objectStart()).append("..").append(members.objectEnd());
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
      assertThat(e.offset()).isNotNegative();
      return e.reason().name();
    } catch (IOException e) {
      return "IOException";
    }
  }

  @FunctionalInterface
  private interface Reading {
    void run() throws InvalidJson, IOException;
  }
}
