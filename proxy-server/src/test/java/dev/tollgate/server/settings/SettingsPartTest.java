package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.settings.yaml.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a command reads of a configuration, and what it does not look at. */
class SettingsPartTest {
  private static final String WITH_SECRETS =
      """
      version: 1
      catalogs: [missing.yaml]
      store: { url: jdbc:postgresql://db/tollgate, password: "${DB_PASSWORD}" }
      listeners: { admin: { token: "${ADMIN_TOKEN:?set ADMIN_TOKEN}" } }
      providers:
        acme: { type: openai, base_url: https://api.example.com/v1, api_key: "${ACME_KEY:?set it}" }
      models: { acme/small: { modality: none } }
      limits: { model: { overrides: { acme/small: { requests_per_second: 1 } } } }
      """;

  private static InMemoryConfig config() {
    return InMemoryConfig.of(WITH_SECRETS)
        .env("DB_PASSWORD", "secret")
        .env("TOLLGATE_PROVIDERS__ACME__TIMEOUTS__NONE", "1s")
        .set("models=[]");
  }

  private static List<String> problems(LoadResult loaded) {
    return switch (loaded) {
      case LoadResult.Valid _ -> List.of();
      case LoadResult.Invalid(var problems) -> problems.stream().map(Problem::toString).toList();
    };
  }

  @Test
  void theStoreNeedsNoSecretButItsOwn() {
    assertThat(config().load(SettingsPart.STORE))
        .isInstanceOfSatisfying(
            LoadResult.Valid.class,
            valid -> {
              assertThat(valid.settings().store().url())
                  .hasToString("jdbc:postgresql://db/tollgate");
              assertThat(valid.settings().limits().model().overrides()).hasSize(1);
              assertThat(valid.settings().limits().org().maxApiKeys()).isEqualTo(100);
            });
    assertThat(problems(InMemoryConfig.of(WITH_SECRETS).load(SettingsPart.STORE)))
        .singleElement()
        .asString()
        .contains("DB_PASSWORD");
    assertThat(problems(config().load(SettingsPart.ACCOUNTS)))
        .singleElement()
        .asString()
        .contains("set ADMIN_TOKEN");
  }

  @Test
  void theWholeNeedsAll() {
    assertThat(problems(config().load(SettingsPart.ALL)).toString())
        .contains("set it", "set ADMIN_TOKEN", "catalogs[0]");
  }

  @Test
  void whatIsNoSettingIsReportedInEveryPart() {
    assertThat(
            problems(
                config()
                    .env("TOLLGATE_STOER__URL", "embedded")
                    .set("stor.url=embedded")
                    .load(SettingsPart.STORE)))
        .hasSize(2);
  }
}
