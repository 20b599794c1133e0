package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.settings.ReloadVerdict.Applicable;
import dev.tollgate.server.settings.ReloadVerdict.NeedsRestart;
import dev.tollgate.server.settings.ReloadVerdict.Unchanged;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A reload applies all changes of a file, or none of them. */
final class ReloadVerdictTest {
  private static final String YAML =
      """
      version: 1
      providers:
        mock: { type: mock }
        openai: { type: openai, base_url: "https://api.example.com/v1", api_key: one }
      models:
        acme/a: { modality: chat, price: free, routes: [{ provider: mock, model: a }] }
      """;

  private static ReloadVerdict verdict(InMemoryConfig after) {
    return ReloadVerdict.between(InMemoryConfig.of(YAML).settings(), after.settings());
  }

  @Test
  void theSameFileChangesNothing() {
    assertThat(verdict(InMemoryConfig.of(YAML))).isEqualTo(new Unchanged());
  }

  @Test
  void providersModelsAndPricesCanChange() {
    InMemoryConfig after =
        InMemoryConfig.of(
                YAML
                    + "  acme/b: { modality: chat, price: { input: 1, output: 2 },"
                    + " routes: [{ provider: mock, model: b }] }\n")
            .set("providers.openai.api_key=two")
            .set("providers.openai.timeouts.idle=9s")
            .set("models.acme/a.price={ request: 1 }");
    assertThat(verdict(after))
        .isEqualTo(
            new Applicable(
                List.of(
                    "providers.openai.api_key",
                    "providers.openai.timeouts.idle",
                    "models.acme/a.price.request",
                    "models.acme/b")));
  }

  @Test
  void listenersAndTheStoreNeedARestartAndNothingIsTakenOver() {
    InMemoryConfig after =
        InMemoryConfig.of(YAML)
            .set("listeners.api.address=0.0.0.0:1")
            .set("store.pool.max=3")
            .set("providers.openai.api_key=two");
    assertThat(verdict(after))
        .isEqualTo(new NeedsRestart(List.of("listeners.api.address", "store.pool.max")));
  }

  @Test
  void aMockListensFromStartToEnd() {
    assertThat(verdict(InMemoryConfig.of(YAML).set("providers.mock.chunks=9")))
        .isEqualTo(new NeedsRestart(List.of("providers.mock.chunks")));
    assertThat(verdict(InMemoryConfig.of(YAML).set("providers.more={ type: mock }")))
        .isEqualTo(new NeedsRestart(List.of("providers.more")));
  }

  @Test
  void aListenerMayKeepItsDefaultInOtherWords() {
    assertThat(verdict(InMemoryConfig.of(YAML).set("listeners.api.idle_timeout=620000ms")))
        .isEqualTo(new Unchanged());
  }
}
