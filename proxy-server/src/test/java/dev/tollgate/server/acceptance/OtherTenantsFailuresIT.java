package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.core.testkit.ScriptedConnection;
import dev.tollgate.server.acceptance.SteadyLoad.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Organizations whose requests a provider answers with 500 do not take it from others, while an
 * outage that many organizations meet does.
 */
@Tag("chaos")
@Isolated
class OtherTenantsFailuresIT {
  private static final String NO_PROVIDER = "no_provider_available";
  private static final String MODEL = "acme/touchy";
  private static final String MORTAL = "acme/mortal";
  private static final int VICTIM_PER_SECOND = 14;
  private static final int ATTACKER_PER_SECOND = 15;
  private static final int OTHERS = 10;
  private static final int OTHERS_PER_SECOND = 10;

  /** Each of the others fails one request in this many. */
  private static final int FAIL_ONE_IN = 100;

  private static final Duration BEFORE = Duration.ofSeconds(1);
  private static final Duration ATTACK = Duration.ofSeconds(5);
  private static final Duration AMONG_OTHERS = Duration.ofSeconds(6);

  private static final int MANY = 50;
  private static final Duration KNOWN_TO_ALL = Duration.ofSeconds(5);
  private static final Duration WATCHED = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final AtomicBoolean OUT = new AtomicBoolean();
  private static final AtomicInteger REACHED = new AtomicInteger();
  private static final ScriptedModels PROVIDER =
      new ScriptedModels()
          .model("touchy", OtherTenantsFailuresIT::refuseBias)
          .model("mortal", OtherTenantsFailuresIT::answerUnlessOut);
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());

  private static ConfigBuilder setup() {
    Map<String, ?> usual =
        Map.of(
            "type",
            "openai",
            "base_url",
            PROVIDER.baseUrl(),
            "api_key",
            SharedNode.PROVIDER_KEY,
            "circuit",
            Map.of("failures", 5));
    return SharedNode.setup()
        .provider("sound", usual)
        .model(MODEL, "sound", "touchy")
        .model(MORTAL, "sound", "mortal");
  }

  private static void refuseBias(JsonNode request, ScriptedConnection to) {
    to.send(
        request.has("logit_bias")
            ? OpenAiWire.error(500, "server_error", "bias")
            : Sse.completion("fine"));
  }

  private static void answerUnlessOut(JsonNode request, ScriptedConnection to) {
    REACHED.incrementAndGet();
    to.send(OUT.get() ? OpenAiWire.error(503, "overloaded", "out") : Sse.completion("fine"));
  }

  @AfterAll
  static void stop() {
    NODE.close();
    PROVIDER.close();
  }

  private static String plain() {
    return ChatRequests.body(MODEL, false);
  }

  private static String biased() {
    return plain().replace("\"stream\"", "\"logit_bias\":{\"1\":1},\"stream\"");
  }

  @Test
  void anAttackerClosesTheProviderForItselfOnly() throws Exception {
    List<String> keys = Tenants.payingKeys(2 + OTHERS);
    List<SteadyLoad> others = new ArrayList<>();
    try (SteadyLoad victim =
        SteadyLoad.on(NODE, keys.getFirst(), _ -> plain(), VICTIM_PER_SECOND)) {
      victim.runFor(BEFORE);
      assertThat(count(NO_PROVIDER, victim.since(0))).isZero();
      try (SteadyLoad attacker =
          SteadyLoad.on(NODE, keys.get(1), _ -> biased(), ATTACKER_PER_SECOND)) {
        long began = System.nanoTime();
        victim.runFor(ATTACK);
        long joined = System.nanoTime();
        for (int i = 0; i < OTHERS; i++) {
          int failing = i * FAIL_ONE_IN / 2 / OTHERS;
          others.add(
              SteadyLoad.on(
                  NODE,
                  keys.get(2 + i),
                  n -> n % FAIL_ONE_IN == failing ? biased() : plain(),
                  OTHERS_PER_SECOND));
        }
        victim.runFor(AMONG_OTHERS);
        victim.end();
        attacker.end();
        long failed = 0;
        for (SteadyLoad other : others) {
          other.end();
          failed += count("provider_unavailable", other.since(0));
        }

        List<Answer> all = victim.since(began);
        long refused = count(NO_PROVIDER, all);
        RecordedFigures.keep(
            "other-tenants-failures",
            """
            %d requests of one organization while another's fail with 500, and ten more \
            organizations fail one request in %d: refused %d (%d before the ten came); with %s\
            """
                .formatted(
                    all.size(),
                    FAIL_ONE_IN,
                    refused,
                    refused - count(NO_PROVIDER, victim.since(joined)),
                    codes(all)));
        assertThat(refused).isZero();
        assertThat(failed).isGreaterThanOrEqualTo(OTHERS);
        assertThat(attacker.since(began + Duration.ofSeconds(2).toNanos()))
            .anyMatch(each -> each.code().equals(NO_PROVIDER));
      }
    } finally {
      others.forEach(SteadyLoad::close);
    }
  }

  /** The organizations' own circuits know it after some requests each; the model's sooner. */
  @Test
  void anOutageClosesTheModelToAll() throws Exception {
    List<String> keys = Tenants.payingKeys(MANY + 1);
    List<SteadyLoad> loads = new ArrayList<>();
    String body = ChatRequests.body(MORTAL, false);
    try {
      for (String key : keys.subList(0, MANY)) {
        loads.add(SteadyLoad.on(NODE, key, _ -> body, 1));
      }
      SteadyLoad clock = loads.getFirst();
      clock.runFor(WATCHED);
      OUT.set(true);
      int before = REACHED.get();
      clock.runFor(KNOWN_TO_ALL);
      int known = REACHED.get();
      assertThat(ChatRequests.code(ask(MORTAL, keys.getLast())))
          .as("of an organization that did not meet it")
          .isEqualTo(NO_PROVIDER);
      assertThat(ask(MODEL, keys.getLast()).status()).isEqualTo(200);
      clock.runFor(WATCHED);
      int probes = REACHED.get() - known;
      RecordedFigures.keep(
          "outage-of-many",
          """
          an outage met by %d organizations at one request per second: %d attempts in %s, then \
          %d in %s\
          """
              .formatted(MANY, known - before, KNOWN_TO_ALL, probes, WATCHED));
      assertThat(probes).isLessThanOrEqualTo(MANY / 10);
    } finally {
      loads.forEach(SteadyLoad::close);
    }
  }

  private static RawResponse ask(String model, String key) {
    try (RawClient client = NODE.connect().within(PATIENCE)) {
      return client
          .post(ChatRequests.PATH, ChatRequests.body(model, false), ChatRequests.authorization(key))
          .readResponse();
    }
  }

  private static Map<String, Long> codes(List<Answer> answers) {
    return answers.stream()
        .collect(Collectors.groupingBy(Answer::code, TreeMap::new, Collectors.counting()));
  }

  private static long count(String code, List<Answer> answers) {
    return answers.stream().filter(each -> each.code().equals(code)).count();
  }
}
