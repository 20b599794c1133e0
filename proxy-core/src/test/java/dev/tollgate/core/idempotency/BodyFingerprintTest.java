package dev.tollgate.core.idempotency;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class BodyFingerprintTest {
  private static final String TYPE = "multipart/form-data; boundary=";

  @Test
  void aBodyIsItsBytes() {
    assertThat(json("abc"))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assertThat(json("{\"a\": 1}")).isNotEqualTo(json("{\"a\":1}"));
  }

  @Test
  void whatLiesBehindTheBodyInItsArrayDoesNotCount() {
    byte[] longer = Arrays.copyOf("abc".getBytes(ISO_8859_1), 9);
    longer[5] = 'x';
    assertThat(hex(new BodyFingerprint(longer, 3, ""))).isEqualTo(json("abc"));
  }

  @Test
  void aFormSentAgainHasAnotherBoundary() {
    String one = form("b", part("model", "m"), part("prompt", "p"));
    String again = form("----x1y2z3", part("model", "m"), part("prompt", "p"));
    assertThat(form(one, "b")).isEqualTo(form(again, "----x1y2z3"));
  }

  @Test
  void aFormIsAllOfItsParts() {
    String form = form(form("b", part("model", "m"), part("prompt", "pq")), "b");
    List<String> others =
        List.of(
            form("b", part("model", "m"), part("prompt", "pr")),
            form("b", part("model", "m"), part("promp", "pq")),
            form("b", part("prompt", "pq"), part("model", "m")),
            form("b", part("model", "m"), part("prompt", "pq"), part("n", "1")),
            form("b", part("model", "m")));
    for (String other : others) {
      assertThat(form(other, "b")).as(other).isNotEqualTo(form);
    }
  }

  @Test
  void whatIsNoFormIsItsBytes() {
    assertThat(form("abc", "b")).isEqualTo(json("abc"));
  }

  private static String part(String name, String value) {
    return "Content-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
  }

  private static String form(String boundary, String... parts) {
    StringBuilder form = new StringBuilder();
    for (String part : parts) {
      form.append("--").append(boundary).append("\r\n").append(part);
    }
    return form.append("--").append(boundary).append("--\r\n").toString();
  }

  private static String form(String text, String boundary) {
    byte[] bytes = text.getBytes(ISO_8859_1);
    return hex(new BodyFingerprint(bytes, bytes.length, TYPE + boundary));
  }

  private static String json(String text) {
    byte[] bytes = text.getBytes(ISO_8859_1);
    return hex(new BodyFingerprint(bytes, bytes.length, ""));
  }

  private static String hex(BodyFingerprint identity) {
    return HexFormat.of().formatHex(identity.sha256());
  }
}
