package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What belongs together goes to one of two providers that are held equal: the request says what.
 */
class StickinessTest {
  private static final int MANY = 20;

  @Test
  void aSessionGoesToOneProviderAndSessionsToBoth() {
    Set<String> seen = new HashSet<>();
    try (var scenario = Scenario.of(equal(false))) {
      for (int session = 0; session < MANY; session++) {
        String named = "\"routing\":{\"session_id\":\"s" + session + "\"},";
        Set<String> its = new HashSet<>();
        for (int n = 0; n < 5; n++) {
          its.add(served(scenario, "{" + named + conversation("Be brief.", n) + "}"));
        }
        assertThat(its).as("session %d", session).hasSize(1);
        seen.addAll(its);
      }
    }
    assertThat(seen).containsExactlyInAnyOrder("alpha", "beta");
  }

  /** One organization's session "1" is not another's: their names say nothing about each other. */
  @Test
  void sessionsOfTwoOrganizationsHaveNothingInCommon() {
    List<Set<String>> seen = new ArrayList<>();
    for (int session = 0; session < MANY; session++) {
      String request =
          "{\"routing\":{\"session_id\":\"s" + session + "\"}," + conversation("Hi.", 0) + "}";
      try (var scenario = Scenario.of(equal(false))) {
        Set<String> its = new HashSet<>();
        its.add(served(scenario, request));
        scenario.of(new OrgId(new UUID(3, 4)));
        its.add(served(scenario, request));
        seen.add(its);
      }
    }
    assertThat(seen).as("some of them go elsewhere").anyMatch(its -> its.size() == 2);
  }

  @Test
  void aConversationThatBeginsAlikeDoesWhereTheModelSaysSo() {
    Set<String> seen = new HashSet<>();
    try (var scenario = Scenario.of(equal(true))) {
      for (int prompt = 0; prompt < MANY; prompt++) {
        Set<String> its = new HashSet<>();
        for (int turns = 0; turns < 5; turns++) {
          its.add(served(scenario, "{" + conversation("You are number " + prompt, turns) + "}"));
        }
        assertThat(its).as("prompt %d", prompt).hasSize(1);
        seen.addAll(its);
      }
    }
    assertThat(seen).containsExactlyInAnyOrder("alpha", "beta");
  }

  /** The choice then is independent of the prompt prefix. */
  @Test
  void elseNotWhatItBeginsWith() {
    assertThat(ofPrompts(equal(true))).isEqualTo(ofPrompts(equal(true)));
    assertThat(ofPrompts(equal(false))).isNotEqualTo(ofPrompts(equal(true)));
  }

  private static List<String> ofPrompts(Catalog catalog) {
    List<String> served = new ArrayList<>();
    try (var scenario = Scenario.of(catalog)) {
      for (int prompt = 0; prompt < MANY; prompt++) {
        served.add(served(scenario, "{" + conversation("You are number " + prompt, 0) + "}"));
      }
    }
    return served;
  }

  private static String conversation(String system, int turns) {
    String more =
        ",{\"role\":\"assistant\",\"content\":\"Yes.\"},{\"role\":\"user\",\"content\":\"And?\"}";
    return "\"model\":\"acme/one\",\"messages\":[{\"role\":\"system\",\"content\":\""
        + system
        + "\"},{\"role\":\"user\",\"content\":\"Hello.\"}"
        + more.repeat(turns)
        + "]";
  }

  private static String served(Scenario scenario, String request) {
    Map<ProviderLink, Integer> before = new HashMap<>();
    scenario.connector().links().forEach(link -> before.put(link, link.requests()));
    scenario.ask(request);
    scenario.run();
    scenario.connector().links().stream()
        .filter(link -> link.requests() > before.getOrDefault(link, 0))
        .forEach(link -> link.send(OpenAiWire.completion("fine")));
    scenario.run();
    return String.valueOf(scenario.lastServed().provider());
  }

  private static Catalog equal(boolean stickyPrefix) {
    List<Provider> both = Stream.of("alpha", "beta").map(TestCatalog::provider).toList();
    Model one = TestCatalog.of("alpha").models().iterator().next();
    List<Route> routes =
        both.stream()
            .map(provider -> new Route(provider, "one-at-" + provider.id(), 1, 1))
            .toList();
    return new Catalog(
        both,
        List.of(
            new Model(
                one.id(),
                one.modality(),
                one.name(),
                one.description(),
                one.created(),
                one.contextLength(),
                one.outputTokensMax(),
                one.outputTokensReserved(),
                one.imageTokensReserved(),
                one.capabilities(),
                one.prices(),
                Resume.OFF,
                stickyPrefix,
                routes,
                Duration.ZERO)));
  }
}
