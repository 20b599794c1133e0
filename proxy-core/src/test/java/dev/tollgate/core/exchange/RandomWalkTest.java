package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.upstream.Upstreams.Gauge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Clients, providers and the clock do what they want in any order. {@link RecordedClient} keeps the
 * grammar of replies, {@link Scenario} that nothing is held at the end; here the gauges are watched
 * after every step.
 */
class RandomWalkTest {
  private static final Fault STOPPING = Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "stopping");
  private static final int STEPS = 120;
  private static final String TEXT = "{\"model\":\"acme/one\",\"prompt\":\"Say something.\"}";
  private static final String TEXT_STREAM = TEXT.replace("}", ",\"stream\":true}");
  private static final String RESPONSE_TEXT =
      "{\"model\":\"acme/one\",\"input\":\"Say something.\"}";
  private static final String RESUMED =
      TestCatalog.STREAM_REQUEST.replace(
          "\"stream\":true",
          "\"stream\":true,\"routing\":{\"resume\":\"auto\",\"hedge_after_ms\":300}");

  private static final String IMAGE_STREAM =
      TestCatalog.STREAM_REQUEST.replace(
          "\"Say something.\"",
          "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}}]");

  /** What is asked for: plain, streamed, and to be continued and hedged as far as it may be. */
  private enum Kind {
    CHAT(
        Modality.CHAT,
        Endpoint.CHAT_COMPLETIONS,
        TestCatalog.PLAIN_REQUEST,
        TestCatalog.STREAM_REQUEST,
        RESUMED),
    CHAT_WITH_IMAGE(
        Modality.CHAT, Endpoint.CHAT_COMPLETIONS, TestCatalog.PLAIN_REQUEST, IMAGE_STREAM, RESUMED),
    COMPLETION(Modality.COMPLETION, Endpoint.COMPLETIONS, TEXT, TEXT_STREAM, TEXT_STREAM),
    RESPONSE(
        Modality.CHAT,
        Endpoint.RESPONSES,
        RESPONSE_TEXT,
        RESPONSE_TEXT.replace("}", ",\"stream\":true}"),
        RESPONSE_TEXT.replace(
            "}", ",\"stream\":true,\"routing\":{\"resume\":\"auto\",\"hedge_after_ms\":300}}"));

    private final Modality modality;
    private final Endpoint endpoint;
    private final String plain;
    private final String stream;
    private final String resumed;

    Kind(Modality modality, Endpoint endpoint, String plain, String stream, String resumed) {
      this.modality = modality;
      this.endpoint = endpoint;
      this.plain = plain;
      this.stream = stream;
      this.resumed = resumed;
    }

    private String request(Random random) {
      return switch (random.nextInt(4)) {
        case 0 -> plain;
        case 1 -> stream;
        default -> resumed;
      };
    }
  }

  @Test
  void whateverHappensEveryRequestEndsOnceAndNothingIsHeld() {
    Seeds.forEach(random -> new Walk(random).run());
  }

  private static final class Walk {
    private final Random random;
    private final Kind kind;
    private final Scenario scenario;
    private final List<RecordedClient> clients = new ArrayList<>();
    private final Map<ProviderLink, Script> scripts = new HashMap<>();

    Walk(Random random) {
      this.random = random;
      this.kind = kind(random);
      this.scenario = Scenario.of(catalog(kind.modality, random)).limits(limits(random));
    }

    private static Kind kind(Random random) {
      return switch (random.nextInt(4)) {
        case 0 -> Kind.COMPLETION;
        case 1 -> Kind.RESPONSE;
        case 2 -> Kind.CHAT_WITH_IMAGE;
        default -> Kind.CHAT;
      };
    }

    private static LimitRules limits(Random random) {
      if (random.nextBoolean()) {
        return LimitRules.OFF;
      }
      var rates = new LimitRules.Rates(random.nextInt(4), random.nextInt(40));
      var key = new LimitRules.PerKey(rates, random.nextInt(100_000), random.nextInt(4));
      return new LimitRules(rates, LimitRules.Rates.OFF, key, rates, Map.of());
    }

    private static Catalog catalog(Modality modality, Random random) {
      PoolLimits tight =
          new PoolLimits(1 + random.nextInt(3), random.nextInt(3), Duration.ofSeconds(3));
      Provider[] providers = new Provider[1 + random.nextInt(3)];
      for (int n = 0; n < providers.length; n++) {
        Provider provider =
            switch (random.nextInt(4)) {
              case 0 -> TestCatalog.withSensitiveBreaker("p" + n);
              case 2 -> TestCatalog.prefilled("p" + n, Prefill.MESSAGE);
              case 1 -> TestCatalog.keyed("p" + n, "k-one", "k-two");
              default -> TestCatalog.provider("p" + n);
            };
        if (random.nextBoolean()) {
          provider = TestCatalog.with(provider, tight);
        }
        if (random.nextBoolean()) {
          provider = TestCatalog.with(provider, new OnDisconnect.Drain(Duration.ofSeconds(10), 1));
        }
        providers[n] = provider;
      }
      return TestCatalog.of(modality, providers);
    }

    void run() {
      try (scenario) {
        for (int step = 0; step < STEPS; step++) {
          step();
          scenario.run();
          watch();
        }
        scenario.counters().answer();
        scenario.connector().acceptPending();
        clients.forEach(client -> client.disconnect(DisconnectReason.ABORTED));
        scenario.passSeconds(32); // as long as a stream is read on
      }
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0, 1 -> ask();
        case 2, 3, 4, 5, 6, 7 -> provider();
        case 8 -> scenario.passCoarse(random.nextInt(20_000));
        case 9 -> scenario.passCoarse(random.nextInt(500));
        case 10 -> client();
        default -> network();
      }
    }

    private void ask() {
      if (clients.size() < 10) {
        clients.add(scenario.ask(kind.endpoint, kind.request(random)));
      }
    }

    private void client() {
      if (clients.isEmpty()) {
        return;
      }
      RecordedClient client = clients.get(random.nextInt(clients.size()));
      switch (random.nextInt(8)) {
        case 0 -> client.disconnect(DisconnectReason.ABORTED);
        case 1 -> client.disconnect(DisconnectReason.STALLED);
        case 2 -> client.cutShort(STOPPING);
        case 3, 4 -> client.writable(false);
        default -> client.writable(true);
      }
    }

    private void network() {
      List<ConnectBehavior> manners = List.of(ConnectBehavior.values());
      String host = "p" + random.nextInt(3) + ".example";
      scenario.connector().behavior(host, manners.get(random.nextInt(manners.size())));
      if (random.nextBoolean()) {
        scenario.connector().acceptPending();
      }
      scenario.connector().holdNewLinks(random.nextInt(4) == 0);
      if (random.nextBoolean()) {
        scenario.counters().holdAnswers();
      } else {
        scenario.counters().answer();
      }
    }

    private void provider() {
      List<ProviderLink> open =
          scenario.connector().links().stream().filter(ProviderLink::isOpen).toList();
      if (open.isEmpty()) {
        return;
      }
      ProviderLink link = open.get(random.nextInt(open.size()));
      switch (random.nextInt(20)) {
        case 0 -> link.fin();
        case 1 -> link.reset();
        case 2 -> link.reads(random.nextBoolean());
        case 3 -> link.send("\u0000garbage");
        default -> scripts.computeIfAbsent(link, key -> new Script()).go(link, random);
      }
    }

    private void watch() {
      int open = 0;
      for (Gauge gauge : scenario.upstreams().gauges()) {
        assertThat(gauge.open()).isNotNegative();
        assertThat(gauge.leased()).isBetween(0, gauge.open());
        assertThat(gauge.pending()).isNotNegative();
        open += gauge.open();
      }
      long links = scenario.connector().links().stream().filter(ProviderLink::isOpen).count();
      assertThat((long) open).isEqualTo(links + scenario.connector().pending());
      assertThat(scenario.inflight().held()).isNotNegative();
      assertThat(scenario.slotsInUse()).isNotNegative();
      long ended = clients.stream().filter(RecordedClient::isAnswered).count();
      assertThat((long) scenario.records().size()).isGreaterThanOrEqualTo(ended);
    }
  }

  /** What one connection says next: the rest of a reply that it began, or a new one. */
  private static final class Script {
    private byte[] bytes = {};
    private int at;
    private int answered;

    void go(ProviderLink link, Random random) {
      if (at == bytes.length && answered < link.requests()) {
        answered = link.requests();
        bytes = reply(link.received(), random).getBytes(UTF_8);
        at = 0;
      }
      int to = Math.min(bytes.length, at + 1 + random.nextInt(600));
      if (to > at) {
        link.send(bytes, at, to);
        at = to;
      }
    }

    private static String reply(String request, Random random) {
      String last = request.substring(request.lastIndexOf("POST "));
      boolean stream = last.contains("text/event-stream");
      if (last.startsWith("POST /v1/completions") && random.nextBoolean()) {
        return stream ? textStream(random) : OpenAiWire.textCompletion("fine");
      }
      return switch (random.nextInt(12)) {
        case 0 -> OpenAiWire.error(500, "server_error", "oops");
        case 1 -> OpenAiWire.error(429, "Retry-After: 1\r\n", "rate_limit", "slow");
        case 2 -> OpenAiWire.error(400, "content_filter", "no");
        case 3 -> "HTTP/1.1 103 Early Hints\r\n\r\n" + OpenAiWire.error(401, "no", "no");
        case 4 ->
            OpenAiWire.STREAM_HEAD
                + OpenAiWire.event("{\"error\":{\"message\":\"x\"}}")
                + OpenAiWire.LAST_CHUNK;
        case 5 ->
            OpenAiWire.STREAM_HEAD
                + OpenAiWire.event(OpenAiWire.content("one"))
                + OpenAiWire.LAST_CHUNK;
        case 6 ->
            OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")) + "broken\r\n";
        case 7 -> OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one") + "surplus";
        default ->
            stream
                ? OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one", "two", "three")
                : OpenAiWire.completion("fine");
      };
    }

    private static String textStream(Random random) {
      String finish = random.nextBoolean() ? "\"stop\"" : "null";
      String events =
          OpenAiWire.event(OpenAiWire.text(0, "", "null"))
              + OpenAiWire.event(OpenAiWire.text(0, "one", "null"))
              + OpenAiWire.event(OpenAiWire.text(0, "two", finish));
      String end = random.nextBoolean() ? OpenAiWire.event(OpenAiWire.usage(7, 2)) : "";
      String done = random.nextBoolean() ? OpenAiWire.event("[DONE]") : "";
      return OpenAiWire.STREAM_HEAD + events + end + done + OpenAiWire.LAST_CHUNK;
    }
  }
}
