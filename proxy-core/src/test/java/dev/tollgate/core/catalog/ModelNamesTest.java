package dev.tollgate.core.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.catalog.ModelNames.AliasRule;
import dev.tollgate.core.catalog.ModelNames.Resolution;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.testkit.TestCatalog;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients' names of models stand for. */
class ModelNamesTest {
  private static final ModelNames NAMES =
      new ModelNames(
          Stream.concat(
                  Stream.of("openai/gpt-4o", "openai/gpt-4o-mini", "azure/gpt-4o", "acme/one")
                      .map(id -> model(id, Modality.CHAT)),
                  Stream.of(model("openai/whisper-1", Modality.TRANSCRIPTION)))
              .toList(),
          Map.of(
              id("openai/gpt-4o"), List.of("best", "legacy/gpt-4"),
              id("acme/one"), List.of("gpt-4o-mini"),
              id("acme/gone"), List.of("lost")),
          List.of(
              new AliasRule("claude-*", id("acme/gone")),
              new AliasRule("claude-*-mini", id("acme/one")),
              new AliasRule("claude-*", id("openai/gpt-4o")),
              new AliasRule("best*", id("acme/one")),
              new AliasRule("acme/*", id("azure/gpt-4o"))));

  private static ModelId id(String text) {
    return ModelId.parse(text).orElseThrow();
  }

  private static Model model(String id, Modality modality) {
    return new Model(
        id(id),
        modality,
        id,
        "",
        Instant.EPOCH,
        0,
        0,
        1,
        1,
        Set.of(),
        PriceList.FREE,
        Resume.OFF,
        false,
        List.of(new Route(TestCatalog.provider("alpha"), id, 1, 1)),
        Duration.ZERO);
  }

  private static KeyScope models(String... allowed) {
    return new KeyScope(Set.of(allowed), Set.of(), Set.of());
  }

  private static String resolved(String name, KeyScope scope) {
    return switch (NAMES.resolve(name, scope)) {
      case Resolution.Found found -> found.id();
      case Resolution.Ambiguous(List<String> candidates) -> String.join(" ", candidates);
      case Resolution.Unknown _ -> "-";
    };
  }

  @ParameterizedTest
  @CsvSource({
    "openai/gpt-4o, openai/gpt-4o", // an id
    "best, openai/gpt-4o", // an alias
    "legacy/gpt-4, openai/gpt-4o", // an alias with a slash
    "gpt-4o-mini, acme/one", // an alias goes before the part behind the slash
    "claude-haiku-mini, acme/one", // the first pattern whose model exists
    "claude-haiku, openai/gpt-4o",
    "best-of-all, acme/one",
    "acme/one, acme/one", // an id goes before a pattern
    "acme/two, azure/gpt-4o",
    "one, acme/one", // the part behind the slash
    "whisper-1, openai/whisper-1",
    "gpt-4o, azure/gpt-4o openai/gpt-4o", // of several
    "lost, -", // an alias of a model that does not exist
    "GPT-4o, -",
    "Best, -",
    "openai/one, -",
    "openai, -",
    "two, -",
  })
  void idsGoBeforeAliasesAndThesePatternsAndTheseShortNames(String name, String model) {
    assertThat(resolved(name, KeyScope.ALL)).isEqualTo(model);
  }

  @Test
  void aShortNameIsOneOfTheModelsThatTheKeyMayUse() {
    assertThat(resolved("gpt-4o", models("azure/*"))).isEqualTo("azure/gpt-4o");
    assertThat(resolved("gpt-4o", models("openai/gpt-4o"))).isEqualTo("openai/gpt-4o");
    assertThat(resolved("gpt-4o", models("*/gpt-4o"))).isEqualTo("azure/gpt-4o openai/gpt-4o");
    assertThat(resolved("gpt-4o", models("acme/*"))).isEqualTo("-");
    var chats = new KeyScope(Set.of(), Set.of("chat"), Set.of());
    assertThat(resolved("whisper-1", chats)).isEqualTo("-");
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-4, openai/gpt-4o azure/gpt-4o acme/one",
    "GPT4o, azure/gpt-4o openai/gpt-4o",
    "gpt-4o-2024-11-20, azure/gpt-4o openai/gpt-4o",
    "openai/gpt4o, openai/gpt-4o azure/gpt-4o",
    "opnai/gpt-4o-mini, openai/gpt-4o-mini acme/one openai/gpt-4o",
    "wisper-1, openai/whisper-1",
    "bst, openai/gpt-4o",
    "mistral-large, ''",
    "openai/zzz, ''",
    "x, ''",
  })
  void nearNamesAreThoseThatOneMayMean(String name, String near) {
    assertThat(String.join(" ", NAMES.near(name, KeyScope.ALL))).isEqualTo(near);
  }

  @Test
  void nearNamesAreInTheScopeAndFew() {
    assertThat(NAMES.near("gpt-4", models("azure/*"))).containsExactly("azure/gpt-4o");
    assertThat(NAMES.near("gpt-4", models("acme/none"))).isEmpty();
    assertThat(NAMES.near("gpt-4o".repeat(11), KeyScope.ALL)).isEmpty();
  }

  @Test
  void anIdOrAnAliasAllocatesNothing() {
    resolveOften(20_000);
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    resolveOften(10_000);
    long taken = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(before).as("the JVM counts").isPositive();
    assertThat(taken / 10_000).as("bytes for a name").isZero();
  }

  private static void resolveOften(int times) {
    for (int i = 0; i < times; i++) {
      String name = (i & 1) == 0 ? "openai/gpt-4o-mini" : "best";
      assert NAMES.resolve(name, KeyScope.ALL) instanceof Resolution.Found;
    }
  }

  @Test
  void aliasesAreThoseOfTheModel() {
    assertThat(NAMES.aliasesOf(id("openai/gpt-4o"))).containsExactly("best", "legacy/gpt-4");
    assertThat(NAMES.aliasesOf(id("azure/gpt-4o"))).isEmpty();
  }
}
