package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An interpolated text is always one value and never becomes YAML structure. */
final class InterpolationTest {

  private static String passwordOf(InMemoryConfig loading) {
    var password = loading.settings().store().password();
    assertThat(password).isNotNull();
    return password.reveal();
  }

  private static InMemoryConfig password(String yaml) {
    return InMemoryConfig.of(
            "version: 1\nstore: { url: jdbc:postgresql://db/gw, username: gw, password: "
                + yaml
                + " }")
        .env("SET", "value")
        .env("EMPTY", "")
        .file("secret", "from file\n");
  }

  @ParameterizedTest
  @CsvSource({
    "'\"${SET}\"', value",
    "'\"a${SET}b${SET}c\"', avaluebvaluec",
    "'\"${UNSET:-other}\"', other",
    "'\"${EMPTY:-other}\"', other",
    "'\"${SET:-other}\"', value",
    "'\"${SET:?needed}\"', value",
    "'\"${file:secret}\"', from file",
    "'\"$${SET}\"', ${SET}",
    "'\"a$$b$c\"', a$b$c",
    "'\"$5\"', $5",
    "'\"x${UNSET:-}\"', x",
  })
  void textIsPutIn(String yaml, String expected) {
    assertThat(passwordOf(password(yaml))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"${UNSET}\" | the environment variable UNSET is not set",
        "\"${UNSET:?set it, please}\" | set it, please",
        "\"${EMPTY:?set it, please}\" | set it, please",
        "\"${UNSET:?}\" | UNSET is not set",
        "\"${file:nowhere}\" | the file nowhere cannot be read: it does not exist",
        "\"${SET\" | ${ without }",
        "\"${SET:-${UNSET}}\" | ${SET…} holds another ${…}, which is not supported",
        "\"${not a name}\" | ${…} holds neither NAME, NAME:-default, NAME:?message nor file:path"
            + " ($$ is a plain $)",
      })
  void whatCannotBePutInIsAProblem(String yaml, String problem) {
    assertThat(password(yaml).problems())
        .containsExactly("gateway.yaml:2:64: store.password: " + problem);
  }

  @Test
  void aSecretCannotBecomeStructure() {
    String evil = "x, url: embedded }\nversion: 9\nservers: [a]";
    assertThat(password("\"${EVIL}\"").env("EVIL", evil).problems())
        .containsExactly(
            "gateway.yaml:2:64: store.password: holds a line break or another control character");
    assertThat(passwordOf(password("\"${EVIL}\"").env("EVIL", "x, url: embedded } #")))
        .isEqualTo("x, url: embedded } #");
    assertThat(
            InMemoryConfig.of("version: 1\nlisteners: { api: { trusted_proxies: \"${L}\" } }")
                .env("L", "[10.0.0.0/8]")
                .problems())
        .containsExactly(
            "gateway.yaml:2:38: listeners.api.trusted_proxies: must be a list, not a single value");
  }

  @Test
  void onlyOneTrailingNewlineIsTrimmedFromAFile() {
    assertThat(passwordOf(password("\"${file:windows}\"").file("windows", "pw\r\n")))
        .isEqualTo("pw");
    assertThat(password("\"${file:two}\"").file("two", "pw\n\n").problems()).hasSize(1);
  }

  @Test
  void valuesOfEveryTypeCanBePutIn() {
    Settings settings =
        InMemoryConfig.of(
                """
                version: 1
                listeners: { api: { proxy_protocol: "${PROXY}", header_timeout: "${TIMEOUT:-7s}" } }
                store: { pool: { max: "${POOL}" } }
                """)
            .env("PROXY", "true")
            .env("POOL", "3")
            .settings();
    assertThat(settings.listeners().api().proxyProtocol()).isTrue();
    assertThat(settings.listeners().api().headerTimeout()).hasSeconds(7);
    assertThat(settings.store().pool().max()).isEqualTo(3);
  }

  @Test
  void anEmptyVariableIsNothingWhereNothingIsAllowed() {
    String yaml = "version: 1\nlisteners: { admin: { token: \"${TOKEN:-}\" } }";
    assertThat(InMemoryConfig.of(yaml).settings().listeners().admin().token()).isNull();
  }

  @Test
  void anOverriddenValueNeedsNoVariable() {
    InMemoryConfig loading =
        InMemoryConfig.of("version: 1\nlisteners: { admin: { token: \"${TOKEN:?set TOKEN}\" } }");
    assertThat(loading.problems()).hasSize(1);
    assertThat(loading.set("listeners.admin.token=t").problems()).isEmpty();
  }
}
