package dev.tollgate.core.egress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.egress.FetchScenario.PendingFetch;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.testkit.Corpora;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every row of the shared SSRF corpus, through the real code with a scripted resolver. */
@Tag("corpus")
class SsrfCorpusTest {
  private static final String SELF = "198.20.9.9";
  private static final String GOOD = "https://good.example/";
  private static final byte[] PNG =
      "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n\u0089PNG\r\n\u001a\n........"
          .getBytes(ISO_8859_1);

  private record Row(String url, String verdict, String code, String dns) {
    String name() {
      String host = url.replaceFirst("(?i)^https:/*", "").replaceFirst("[:/?#].*", "");
      return host.toLowerCase(Locale.ROOT).replaceAll("\\.$", "");
    }
  }

  private static Row row(String[] cells) {
    String url =
        cells[0]
            .replace("\\t", "\t")
            .replace("\\n", "\n")
            .replace("\\r", "\r")
            .replace("\\x00", "\0")
            .replace("\\\\", "\\");
    return new Row(url, cells[1], cells[2], cells[4].replace("SELF", SELF));
  }

  @Test
  void everyVerdictHolds() {
    Set<String> seen = new TreeSet<>();
    List<String[]> rows = Corpora.rows("data/ssrf.tsv");
    for (String[] cells : rows) {
      Row row = row(cells);
      seen.add(row.verdict());
      try (var scene = new FetchScenario(List.of(), List.of(SELF))) {
        if (!row.dns().equals("-")) {
          scene.names.answer(row.name(), row.dns().split(";"));
        }
        PendingFetch asked = scene.fetch(row.url());
        switch (row.verdict()) {
          case "block" -> {
            assertThat(asked.failed().fault().code().wire()).as("%s", row).isEqualTo(row.code());
            assertThat(asked.failed().fault().param()).isEqualTo("input_images[0]");
            assertThat(scene.connector.addresses()).as("%s", row).isEmpty();
          }
          case "allow" -> {
            assertThat(scene.links()).as("%s: %s", row, asked.outcome).isOne();
            scene.link(0).send(PNG);
            scene.run();
            assertThat(asked.image().type()).isEqualTo(BlobType.PNG);
          }
          case "pin" -> pinned(row, scene, asked);
          case "no-follow" -> redirected(row, scene, asked);
          default -> throw new AssertionError("an unknown verdict: " + row);
        }
      }
    }
    assertThat(seen).containsExactly("allow", "block", "no-follow", "pin");
    assertThat(rows).hasSizeGreaterThan(150);
  }

  @Test
  void everyVerdictHoldsWhereWebhooksAreSent() {
    byte[] body = {'{', '}'};
    for (String[] cells : Corpora.rows("data/ssrf.tsv")) {
      Row row = row(cells);
      try (var scene = new FetchScenario(List.of(), List.of(SELF))) {
        if (!row.dns().equals("-")) {
          scene.names.answer(row.name(), row.dns().split(";"));
        }
        List<PostResult> posted = scene.post(row.url(), body);
        if (row.verdict().equals("block")) {
          boolean isRefused = row.code().equals("ssrf_blocked");
          assertThat(posted)
              .as("%s", row)
              .hasSize(1)
              .first()
              .isIn(
                  new PostResult.Failed(isRefused ? FetchOutcome.BLOCKED : FetchOutcome.INVALID),
                  new PostResult.Failed(
                      isRefused ? FetchOutcome.BLOCKED : FetchOutcome.UNRESOLVED));
          assertThat(scene.connector.addresses()).as("%s", row).isEmpty();
        } else {
          int status = row.verdict().equals("no-follow") ? 307 : 204;
          scene.link(0).send("HTTP/1.1 %d So\r\nLocation: %s\r\n\r\n".formatted(status, GOOD));
          scene.link(0).fin();
          scene.run();
          assertThat(posted)
              .as("%s", row)
              .containsExactly(new PostResult.Answered(status, Duration.ZERO));
          assertThat(scene.links()).as("%s", row).isOne();
        }
        if (row.verdict().equals("pin")) {
          assertThat(scene.post(row.url(), body))
              .containsExactly(new PostResult.Failed(FetchOutcome.BLOCKED));
          assertThat(scene.links()).isOne();
        }
      }
    }
  }

  private static void pinned(Row row, FetchScenario scene, PendingFetch asked) {
    scene.link(0).send(PNG);
    scene.run();
    assertThat(asked.image().length()).isEqualTo(16);
    assertThat(scene.fetch(row.url()).failure()).as("%s", row).isEqualTo(FetchOutcome.BLOCKED);
    assertThat(scene.connector.addresses()).containsExactly("93.184.216.34");
  }

  private static void redirected(Row row, FetchScenario scene, PendingFetch asked) {
    String kind = row.url().replaceFirst(".*/", "");
    String location =
        switch (kind) {
          case "302-metadata" -> "https://169.254.169.254/";
          case "302-http" -> "http://93.184.216.34/";
          case "307-post", "loop" -> row.url();
          default -> throw new AssertionError("an unknown redirect: " + row);
        };
    int hops = location.equals(row.url()) ? 4 : 1;
    for (int n = 0; n < hops; n++) {
      assertThat(scene.link(n).received()).startsWith("GET /" + kind + " ");
      scene.link(n).send("HTTP/1.1 302 Found\r\nLocation: " + location + "\r\n\r\n");
      scene.run();
    }
    assertThat(asked.failure())
        .as("%s", row)
        .isEqualTo(
            switch (kind) {
              case "302-metadata" -> FetchOutcome.BLOCKED;
              case "302-http" -> FetchOutcome.INVALID;
              default -> FetchOutcome.TOO_MANY_REDIRECTS;
            });
    assertThat(scene.links()).isEqualTo(hops);
  }
}
