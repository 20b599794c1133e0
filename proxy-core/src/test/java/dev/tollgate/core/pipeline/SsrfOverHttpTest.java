package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.egress.FetchRules;
import dev.tollgate.core.egress.ImageFetchClient;
import dev.tollgate.core.egress.PublicAddressResolver;
import dev.tollgate.core.egress.PublicConnector;
import dev.tollgate.core.exchange.Exchanges;
import dev.tollgate.core.exchange.frame.AdmissionPorts;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.ExchangeOptions;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.JobService;
import dev.tollgate.core.exchange.frame.MediaPorts;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.ProviderPorts;
import dev.tollgate.core.exchange.frame.RecordSinks;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.LimitObserver;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.UrlRules;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.InMemoryIdempotencyStore;
import dev.tollgate.core.testkit.InMemoryLedger;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.ScriptedAccountBalances;
import dev.tollgate.core.testkit.ScriptedConnector;
import dev.tollgate.core.testkit.ScriptedNames;
import dev.tollgate.core.testkit.ScriptedOffload;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every row of the corpus of URLs as the URL of an image in a request over HTTP: what its client is
 * told, whom we call for it, and that no provider learns it.
 */
@Tag("corpus")
final class SsrfOverHttpTest {
  private static final String SELF = "198.20.9.9";
  private static final byte[] PNG =
      "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n\u0089PNG\r\n\u001a\n........"
          .getBytes(ISO_8859_1);

  private record Row(String url, String verdict, String code, String dns) {
    static Row of(String[] cells) {
      String url =
          cells[0]
              .replace("\\t", "\t")
              .replace("\\n", "\n")
              .replace("\\r", "\r")
              .replace("\\x00", "\0")
              .replace("\\\\", "\\");
      return new Row(url, cells[1], cells[2], cells[4].replace("SELF", SELF));
    }

    String name() {
      String host = url.replaceFirst("(?i)^https:/*", "").replaceFirst("[:/?#].*", "");
      return host.toLowerCase(Locale.ROOT).replaceAll("\\.$", "");
    }
  }

  enum Route {
    GENERATIONS,
    EDITS;

    String path() {
      return "/v1/images/" + name().toLowerCase(Locale.ROOT);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyVerdictHolds(Route route) {
    List<Row> rows = Corpora.rows("data/ssrf.tsv").stream().map(Row::of).toList();
    for (Row row : rows) {
      var scene = new Scene(row, route);
      switch (row.verdict()) {
        case "block" -> {
          scene.requireRefused(row.code());
          assertThat(scene.connector.links()).as("%s", row).isEmpty();
          assertThat(scene.connector.addresses()).as("%s", row).isEmpty();
        }
        case "allow" -> scene.requireDrawn();
        case "pin" -> {
          scene.requireDrawn();
          int called = scene.connector.addresses().size();
          scene.ask();
          scene.requireRefused("ssrf_blocked");
          assertThat(scene.connector.addresses()).as("%s", row).hasSize(called);
        }
        case "no-follow" -> redirected(row, scene);
        default -> throw new AssertionError("an unknown verdict: " + row);
      }
      scene.requireQuiet();
    }
    assertThat(rows).hasSizeGreaterThan(150);
  }

  private static void redirected(Row row, Scene scene) {
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
      scene.link(n).send("HTTP/1.1 302 Found\r\nLocation: " + location + "\r\n\r\n");
    }
    scene.requireRefused(kind.equals("302-metadata") ? "ssrf_blocked" : "validation_failed");
    assertThat(scene.connector.links()).hasSize(hops);
    assertThat(Set.copyOf(scene.connector.addresses())).containsExactly("93.184.216.34");
  }

  private static final class Unheard implements LimitObserver {
    @Override
    public void refused(Fault fault) {}

    @Override
    public void fallbackSkipped(ModelId model, Fault why) {}
  }

  /** One connection of a client to a whole gateway, whose other ends the test holds. */
  private static final class Scene {
    private final Row row;
    private final Route route;
    private final ScriptedConnector connector =
        new ScriptedConnector(new UnpooledByteBufAllocator(false));
    private final InflightBytes inflight = new InflightBytes(1 << 20);
    private final ImageFetchClient images;
    private final FrozenClient client;

    Scene(Row row, Route route) {
      this.row = row;
      this.route = route;
      var names = new ScriptedNames();
      if (!row.dns().equals("-")) {
        names.answer(row.name(), row.dns().split(";"));
      }
      images = fetcher(names);
      Catalog catalog = TestCatalog.of(Modality.IMAGE, TestCatalog.all("alpha"));
      client = new FrozenClient(TestGateway.OPTIONS, exchanges(), catalog);
      ask();
    }

    private ImageFetchClient fetcher(ScriptedNames names) {
      var urls =
          new UrlRules(
              Set.of(443, 8443),
              Set.of(),
              CidrSet.NONE,
              CidrSet.NONE,
              Set.of(),
              CidrSet.parse(List.of(SELF)));
      var rules = new FetchRules(urls, 64 * 1024, Duration.ofSeconds(15), 3);
      var connecting = new PublicConnector(new PublicAddressResolver(names), connector);
      return new ImageFetchClient(connecting, () -> rules, (outcome, bytes, took) -> {});
    }

    private Exchanges exchanges() {
      var limits =
          new Limits(
              new LocalCounters(() -> 0, 1_000),
              () -> LimitRules.OFF,
              new Unheard(),
              new RefusalCache());
      return new Exchanges(
          new ProviderPorts(new Upstreams(connector), new Fleet(), () -> Instant.EPOCH),
          new AdmissionPorts(new InMemoryIdempotencyStore(() -> 0), new InMemoryLedger(), limits),
          new ScriptedAccountBalances(),
          new MediaPorts(
              images,
              new ScriptedNames().guard(),
              new ScriptedNames().providers(),
              new Outputs.Passed(),
              JobService.NONE),
          new RecordSinks(record -> {}, record -> new byte[] {'{', '}'}),
          new BodyPorts(inflight, new ScriptedOffload()),
          ExchangeOptions.DEFAULT);
    }

    void ask() {
      String body =
          "{\"model\":\"acme/one\",\"prompt\":\"p\",\"input_images\":[\"%s\"]}"
              .formatted(escaped(row.url()));
      client.send(
          "POST %s HTTP/1.1\r\nHost: a\r\n%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(route.path(), client.keys.authorization(), body.length(), body));
      run();
    }

    /** All of it in ASCII. */
    private static String escaped(String text) {
      StringBuilder json = new StringBuilder();
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        boolean isPlain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
        json.append(isPlain ? Character.toString(c) : "\\u%04x".formatted((int) c));
      }
      return json.toString();
    }

    private void run() {
      boolean busy = true;
      while (busy) {
        client.channel.runPendingTasks();
        busy = connector.runLinks() || client.channel.hasPendingTasks();
      }
    }

    ProviderLink link(int n) {
      run();
      return connector.links().get(n);
    }

    void requireRefused(String code) {
      run();
      assertThat(client.received())
          .as("%s", row)
          .startsWith("HTTP/1.1 400 ")
          .contains("\"code\":\"" + code + "\"")
          .contains("\"param\":\"input_images[0]\"")
          .containsIgnoringCase("x-should-retry: false");
    }

    void requireDrawn() {
      assertThat(connector.links()).as("%s", row).hasSize(1);
      link(0).send(PNG);
      ProviderLink provider = link(1);
      assertThat(provider.host()).isEqualTo("alpha.example");
      assertThat(provider.received())
          .as("%s", row)
          .contains("{\"image_url\":\"data:image/png;base64,iVBORw0KGgo")
          .doesNotContainIgnoringCase(row.name());
      provider.send(OpenAiWire.images(3, 4));
      run();
      assertThat(client.received()).as("%s", row).startsWith("HTTP/1.1 200 ");
    }

    void requireQuiet() {
      assertThat(inflight.held()).as("%s", row).isZero();
      assertThat(images.inFlight()).as("%s", row).isZero();
      assertThat(client.isOpen()).as("%s", row).isTrue();
      var _ = client.channel.close();
    }
  }
}
