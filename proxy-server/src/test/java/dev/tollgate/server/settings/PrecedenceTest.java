package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.value.CidrBlock;
import dev.tollgate.server.settings.value.StoreUrl;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Defaults, then files, then the environment, then {@code --set}: the later one wins. */
final class PrecedenceTest {
  private static final String PROVIDER_AND_MODEL =
      """
      version: 1
      providers:
        my-openai: { type: openai, base_url: "https://api.example.com/v1" }
      models:
        acme/small-1.5:
          modality: chat
          price: { input: "1", output: "2" }
          routes: [{ provider: my-openai, model: small }]
      """;

  @Test
  void anEmptyFileTakesEveryDefault() {
    Settings settings = InMemoryConfig.of("version: 1").settings();
    assertThat(settings.listeners().api().address()).hasToString("0.0.0.0:8080");
    assertThat(settings.listeners().api().requestBytesMax()).isEqualTo(10 << 20);
    assertThat(settings.store().dataDir()).isEqualTo(InMemoryConfig.FOLDER.resolve("data"));
    assertThat(settings.bootstrap()).isNotNull();
    assertThat(settings.models()).isEmpty();
  }

  @Test
  void eachSourceWinsOverTheOneBefore() {
    String file = "version: 1\nstore: { url: jdbc:postgresql://file/db }";
    assertThat(url(InMemoryConfig.of("version: 1"))).isEqualTo("embedded");
    assertThat(url(InMemoryConfig.of(file))).isEqualTo("jdbc:postgresql://file/db");
    var withEnvironment =
        InMemoryConfig.of(file).env("TOLLGATE_STORE__URL", "jdbc:postgresql://environment/db");
    assertThat(url(withEnvironment)).isEqualTo("jdbc:postgresql://environment/db");
    assertThat(url(withEnvironment.set("store.url=jdbc:postgresql://option/db")))
        .isEqualTo("jdbc:postgresql://option/db");
  }

  private static String url(InMemoryConfig loading) {
    StoreUrl url = loading.settings().store().url();
    return url.toString();
  }

  @Test
  void theSpecificationsNameForTheBodyLimitIsAnAlias() {
    var loading = InMemoryConfig.of("version: 1").env("MAX_REQUEST_BYTES", "2097152");
    assertThat(loading.settings().listeners().api().requestBytesMax()).isEqualTo(2 << 20);
    loading.env("TOLLGATE_LISTENERS__API__MAX_REQUEST_BYTES", "3MiB");
    assertThat(loading.settings().listeners().api().requestBytesMax()).isEqualTo(3 << 20);
  }

  @Test
  void namedEntriesAreReachedFromOutside() {
    Settings settings =
        InMemoryConfig.of(PROVIDER_AND_MODEL)
            .env("TOLLGATE_PROVIDERS__MY_OPENAI__API_KEY", "from-environment")
            .env("TOLLGATE_MODELS__ACME_SMALL_1_5__CONTEXT_LENGTH", "1000")
            .set("models.acme/small-1.5.max_output_tokens=100")
            .set("models.\"acme/small-1.5\".name=Small")
            .settings();
    var provider = (ProviderSettings.OpenAi) settings.providers().get(new ProviderId("my-openai"));
    assertThat(provider).isNotNull();
    assertThat(provider.keys().apiKey()).isNotNull();
    assertThat(provider.keys().apiKey().reveal()).isEqualTo("from-environment");
    ModelSettings model = settings.models().get(new ModelId("acme", "small-1.5"));
    assertThat(model).isNotNull();
    assertThat(model.contextLength()).isEqualTo(1000);
    assertThat(model.maxOutputTokens()).isEqualTo(100);
    assertThat(model.name()).isEqualTo("Small");
  }

  @Test
  void listsAndSectionsFromOutsideAreYaml() {
    Settings settings =
        InMemoryConfig.of("version: 1")
            .env("TOLLGATE_LISTENERS__API__TRUSTED_PROXIES", "[10.0.0.0/8]")
            .set("server.shutdown={delay: 1s}")
            .settings();
    assertThat(settings.listeners().api().trustedProxies())
        .isEqualTo(List.of(CidrBlock.parse("10.0.0.0/8").orElseThrow()));
    assertThat(settings.server().shutdown().delay()).hasSeconds(1);
    assertThat(settings.server().shutdown().timeout()).hasSeconds(300);
  }

  @Test
  void theEnvironmentIsTakenAsItIsAndNeverInterpolated() {
    Settings settings =
        InMemoryConfig.of("version: 1\nstore: { url: jdbc:postgresql://db/gw, username: gw }")
            .env("TOLLGATE_STORE__PASSWORD", "a: ${b} #c $$ [")
            .settings();
    assertThat(settings.store().password()).isNotNull();
    assertThat(settings.store().password().reveal()).isEqualTo("a: ${b} #c $$ [");
  }

  @Test
  void aNullSwitchesOff() {
    Settings settings =
        InMemoryConfig.of("version: 1")
            .set("listeners.control.address=null")
            .set("bootstrap=null")
            .settings();
    assertThat(settings.listeners().control().address()).isNull();
    assertThat(settings.bootstrap()).isNull();
  }

  @Test
  void whatIsNotThereYetMayBeSwitchedOff() {
    assertThat(
            InMemoryConfig.of("version: 1\ntelemetry: { trace_sample: 0 }")
                .set("limits.key={ requests_per_second: 0, concurrency: 0 }")
                .problems())
        .isEmpty();
  }

  @Test
  void variablesOfOthersAreLeftAlone() {
    var loading =
        InMemoryConfig.of("version: 1")
            .env("TOLLGATE_JAVA", "x")
            .env("TOLLGATE_JAVA_OPTS", "x")
            .env("TOLLGATE_LOG_LEVEL", "DEBUG");
    assertThat(loading.problems()).isEmpty();
  }

  @Test
  void whatKubernetesTellsOfServicesIsLeftAlone() {
    var loading =
        InMemoryConfig.of("version: 1")
            .env("TOLLGATE_SERVICE_HOST", "10.0.0.1")
            .env("TOLLGATE_SERVICE_PORT", "80")
            .env("TOLLGATE_SERVICE_PORT_HTTP", "80")
            .env("TOLLGATE_PORT", "tcp://10.0.0.1:80")
            .env("TOLLGATE_PORT_80_TCP", "tcp://10.0.0.1:80")
            .env("TOLLGATE_PORT_80_TCP_ADDR", "10.0.0.1")
            .env("TOLLGATE_ADMIN_SERVICE_HOST", "10.0.0.1")
            .env("TOLLGATE_ADMIN_PORT_9901_TCP_PROTO", "tcp");
    assertThat(loading.problems()).isEmpty();
    assertThat(InMemoryConfig.of("version: 1").env("TOLLGATE_PORT", "8080").problems())
        .containsExactly("environment variable TOLLGATE_PORT: no such setting");
  }

  @Test
  void settingsOfOneWordAreGivenToo() {
    var loading =
        InMemoryConfig.of("version: 1")
            .file("more.yaml", "providers: { mock: { type: mock } }")
            .env("TOLLGATE_BOOTSTRAP", "null")
            .env("TOLLGATE_CATALOGS", "[more.yaml]");
    assertThat(loading.settings().bootstrap()).isNull();
    assertThat(loading.settings().providers()).containsKey(new ProviderId("mock"));
    assertThat(loading.set("catalogs=[]").settings().providers()).isEmpty();
  }

  @Test
  void wrongNamesFromOutsideAreProblems() {
    assertThat(
            InMemoryConfig.of("version: 1")
                .env("TOLLGATE_STORE__ULR", "x")
                .env("TOLLGATE_STORE_URL", "x")
                .env("TOLLGATE_BOOTSRAP", "null")
                .set("store.urll=x")
                .set("nonsense")
                .problems())
        .containsExactlyInAnyOrder(
            "environment variable TOLLGATE_STORE__ULR: store: no such setting; did you mean URL?",
            "environment variable TOLLGATE_STORE_URL: no such setting;"
                + " did you mean TOLLGATE_STORE__URL?",
            "environment variable TOLLGATE_BOOTSRAP: no such setting; did you mean BOOTSTRAP?",
            "--set store.urll: store.urll: unknown key; did you mean url?",
            "--set nonsense: must be of the form key=value");
  }
}
