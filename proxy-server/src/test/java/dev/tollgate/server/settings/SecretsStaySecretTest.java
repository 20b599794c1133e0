package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Problems, masked JSON and toString never repeat a secret, even one that is written wrongly. */
final class SecretsStaySecretTest {
  private static final String CANARY = "canary7secret";

  @ParameterizedTest
  @ValueSource(
      strings = {
        // A secret from a variable, at a key where it is not valid.
        "server: { transport: \"${S}\" }",
        "server: { shutdown: { delay: \"${S}\" } }",
        "server: \"${S}\"",
        "store: { pool: { max: \"${S}\" } }",
        "store: { url: \"jdbc:postgresql://db/x?user=u&password=${S}\" }",
        "store: { url: \"postgres://u:${S}@db/x\" }",
        "providers: { a: { type: \"${S}\" } }",
        "providers: { a: { type: openai, base_url: \"${S}\" } }",
        "providers: { a: { type: mock } }\nmodels: { a/b: { modality: \"${S}\", price: \"${S}\","
            + " routes: [{ provider: \"${S}\", model: m }] } }",
        "bootstrap: { credit: \"${S}\" }",
        "redis: { url: \"redis:/:${S}@host\" }",
        "catalogs: [\"${S}\"]",
        "models: \"${file:secret}\"",
        // A secret in the file.
        "store: { url: \"jdbc:postgresql://u:canary7secret@db/x\" }",
        "store: { password: [canary7secret] }",
        "store: { password: { canary7secret } }",
        "store: { password: canary7secret }",
        "store: { master_keys: [canary7secret] }",
        "store: { master_keys: [\"${S}\"] }",
        "store: { password: *canary7secret }",
        "store: { password: !canary7secret }",
        "store: { password: \"canary7secret\ufffd\\q\" }",
        "store: { password: @canary7secret }",
        "store: { password: 'canary7secret }",
        "store: { password: %canary7secret: }",
        "listeners: { admin: { address: 0.0.0.0:1, token: \"canary7secret\\n\" } }",
        "redis: { url: canary7secret }",
        "providers: { a: { type: openai, base_url: \"https://u:canary7secret@h/v1\" } }",
        "providers: { a: { type: openai, base_url: https://h/v1, api_key: canary7secret,"
            + " api_keys: [canary7secret] } }",
        "providers: { a: { type: openai, base_url: https://h/v1,"
            + " headers: { host: canary7secret } } }",
        "bootstrap: { api_key: \"canary7secret\\t\" }",
        "control_plane: { email: { smtp: \"smtp://u:canary7secret@h\" } }",
      })
  void problemsNeverRepeatASecret(String yaml) {
    List<String> problems =
        InMemoryConfig.of("version: 1\n" + yaml + "\n")
            .env("S", CANARY)
            .file("secret", CANARY)
            .complaints();
    assertThat(problems).isNotEmpty().noneMatch(problem -> problem.contains(CANARY));
  }

  @Test
  void aWrongSecretOfTheEnvironmentIsNotRepeated() {
    List<String> problems =
        InMemoryConfig.of("version: 1")
            .env("TOLLGATE_STORE__URL", CANARY)
            .env("TOLLGATE_SERVER__TRANSPORT", CANARY)
            .env("TOLLGATE_LISTENERS__API__TRUSTED_PROXIES", "[" + CANARY + "]")
            .env("TOLLGATE_SERVER__SHUTDOWN", "{" + CANARY)
            .env("MAX_REQUEST_BYTES", CANARY)
            .problems();
    assertThat(problems).hasSize(5).noneMatch(problem -> problem.contains(CANARY));
  }

  @Test
  void neitherToStringNorTheRenderingShowsASecret() {
    Settings settings =
        InMemoryConfig.of(
                """
                version: 1
                listeners: { admin: { token: "${S}" } }
                store: { url: jdbc:postgresql://db/gw, username: gw, password: "${S}" }
                providers:
                  a:
                    type: openai
                    base_url: https://h/v1
                    api_key: ${S}
                    headers: { x-api-key: "${S}" }
                  b: { type: openai, base_url: "https://h/v1", api_keys: [{key: "${S}"}] }
                """)
            .env("S", CANARY)
            .settings();
    assertThat(settings.toString()).doesNotContain(CANARY);
    assertThat(settings.masked()).doesNotContain(CANARY).contains("\"api_key\" : \"***\"");
  }
}
