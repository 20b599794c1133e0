package dev.tollgate.server.settings;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.OpenAiQuirks;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.catalog.Thinking;
import dev.tollgate.core.id.ModelId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings become the core's catalog. */
final class CatalogBuilderTest {
  private static final String YAML =
      """
      version: 1
      providers:
        openai:
          type: openai
          base_url: https://api.example.com/v1/
          api_keys: [{ key: one }]
          headers: { x-team: blue }
          timeouts: { first_token: 9s }
          quirks: { stream_options: false }
        mock: { type: mock }
      models:
        acme/a:
          modality: chat
          max_output_tokens: 1000
          capabilities: [streaming, json_schema]
          created: 2025-03-04
          price: free
          routes:
            - { provider: openai, model: second, priority: 2, context_length: 32000 }
            - { provider: mock, model: first, weight: 7 }
      """;

  private final Catalog catalog =
      new CatalogBuilder(id -> id.value().equals("mock") ? 4711 : 0)
          .build(InMemoryConfig.of(YAML).settings());

  private Provider provider(String id) {
    return catalog.providers().stream()
        .filter(provider -> provider.id().value().equals(id))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aProviderIsAnEndpointAPathAndCredentials() {
    Provider openai = provider("openai");
    assertThat(openai.endpoint()).isEqualTo(new EndpointIdentity(true, "api.example.com", 443));
    assertThat(openai.basePath()).isEqualTo("/v1");
    assertThat(openai.credentials()).containsExactly(Credential.of(new Secret("one")));
    assertThat(openai.headers()).containsEntry("x-team", "blue");
    assertThat(openai.timeouts().firstToken()).hasSeconds(9);
    assertThat(openai.quirks().streamOptions()).isFalse();
    assertThat(openai.eventBytesMax()).isEqualTo(32 << 20);
  }

  @Test
  void defaultsAreTheCores() {
    Provider openai =
        new CatalogBuilder(_ -> 0)
            .build(
                InMemoryConfig.of(
                        "version: 1\nproviders: { a: { type: openai, base_url: http://h:1/v1 } }")
                    .settings())
            .providers()
            .iterator()
            .next();
    assertThat(openai.timeouts()).isEqualTo(Provider.ProviderTimeouts.DEFAULT);
    assertThat(openai.pool()).isEqualTo(Provider.PoolLimits.DEFAULT);
    assertThat(openai.quirks()).isEqualTo(Provider.Quirks.NONE);
    assertThat(openai.onDisconnect()).isEqualTo(new Provider.OnDisconnect.Cancel());
    assertThat(openai.credentials()).isEmpty();
  }

  @Test
  void whatStandsBesideAPresetComesFirstOrIsAdded() {
    String file =
        """
        version: 1
        providers:
          known: { type: openai, preset: mistral }
          other:
            type: openai
            preset: mistral
            base_url: http://h:1/v1
            quirks:
              stream_options: true
              prefill: none
              drop: [tools]
              rename: { seed: seed2 }
              drop_message_fields: [x]
              developer_role: true
              json_schema: false
              call_ids: any
              reasoning: as_is
              user_after_tool: true
              calls_need_reasoning: true
              allowed_tools: true
              images: together
              models: { pictures: gpt-image-2 }
        """;
    List<Provider> providers =
        List.copyOf(
            new CatalogBuilder(_ -> 0).build(InMemoryConfig.of(file).settings()).providers());
    Provider known = providers.getFirst();
    assertThat(known.endpoint()).isEqualTo(new EndpointIdentity(true, "api.mistral.ai", 443));
    assertThat(known.basePath()).isEqualTo("/v1");
    assertThat(known.quirks())
        .isEqualTo(new Provider.Quirks(false, Prefill.PREFIX, KnownServer.MISTRAL.quirks()));
    Provider other = providers.getLast();
    assertThat(other.endpoint()).isEqualTo(new EndpointIdentity(false, "h", 1));
    assertThat(other.quirks().streamOptions()).isTrue();
    assertThat(other.quirks().prefill()).isEqualTo(Prefill.NONE);
    OpenAiQuirks deviations = other.quirks().openAiQuirks();
    assertThat(deviations.droppedFields()).contains("tools", "logit_bias");
    assertThat(deviations.renamedFields())
        .isEqualTo(Map.of("seed", "seed2", "max_completion_tokens", "max_tokens"));
    assertThat(deviations.droppedMessageFields()).contains("x", "refusal");
    assertThat(deviations.developerRole()).isTrue();
    assertThat(deviations.jsonSchema()).isFalse();
    assertThat(deviations.callIds()).isEqualTo(OpenAiQuirks.CallIds.ANY);
    assertThat(deviations.reasoning()).isEqualTo(OpenAiQuirks.Reasoning.AS_IS);
    assertThat(deviations.userAfterTool()).isTrue();
    assertThat(deviations.callsNeedReasoning()).isTrue();
    assertThat(deviations.allowedTools()).isTrue();
    assertThat(deviations.imageApiStyle()).isEqualTo(ImageApiStyle.TOGETHER);
    assertThat(deviations.model("pictures")).isEqualTo("gpt-image-2");
    assertThat(deviations.model("words")).isEqualTo("words");
  }

  @Test
  void whatTollgateWritesCanBeNeitherLeftOutNorRenamed() {
    var loading =
        InMemoryConfig.of(
            """
            version: 1
            providers:
              a:
                type: openai
                preset: vllm
                quirks: { drop: [model], rename: { x: stream }, drop_message_fields: [role] }
            """);
    assertThat(loading.problems())
        .containsExactly(
            "gateway.yaml:4:5: providers.a.base_url: is required, unless a preset has an address",
            "gateway.yaml:6:21: providers.a.quirks.drop: model is written by Tollgate itself",
            "gateway.yaml:6:43: providers.a.quirks.rename.x: is written by Tollgate itself",
            "gateway.yaml:6:74: providers.a.quirks.drop_message_fields: role cannot be dropped from a message");
  }

  @Test
  void cohereAndOllamaAreWhereTheyUsuallyAre() {
    String file =
        """
        version: 1
        providers:
          a: { type: cohere, api_key: k }
          b: { type: ollama }
        """;
    List<Provider> providers =
        List.copyOf(
            new CatalogBuilder(_ -> 0).build(InMemoryConfig.of(file).settings()).providers());
    assertThat(providers).extracting(Provider::dialect).containsExactly("cohere", "ollama");
    assertThat(providers)
        .extracting(Provider::endpoint)
        .containsExactly(
            new EndpointIdentity(true, "api.cohere.com", 443),
            new EndpointIdentity(false, "127.0.0.1", 11434));
    assertThat(providers.getLast().quirks().prefill()).isEqualTo(Prefill.MESSAGE);
  }

  @Test
  void bedrockSignsOrHasAnApiKeyAndIsInARegion() {
    String file =
        """
        version: 1
        providers:
          a: { type: bedrock, region: eu-central-1, access_key: AKIA, secret_key: s, session_token: t }
          b: { type: bedrock, region: cn-north-1, api_key: k }
          c: { type: bedrock, region: us-gov-west-1, base_url: http://127.0.0.1:99/x }
        """;
    List<Provider> providers =
        List.copyOf(
            new CatalogBuilder(_ -> 0).build(InMemoryConfig.of(file).settings()).providers());
    assertThat(providers)
        .extracting(provider -> provider.endpoint().authority() + provider.basePath())
        .containsExactly(
            "bedrock-runtime.eu-central-1.amazonaws.com",
            "bedrock-runtime.cn-north-1.amazonaws.com.cn",
            "127.0.0.1:99/x");
    var keys =
        new AwsCredentials("eu-central-1", "AKIA", new Secret("s"), Optional.of(new Secret("t")));
    assertThat(providers.get(0).credentials())
        .extracting(Credential::key)
        .containsExactly(keys.packed());
    assertThat(providers.get(1).credentials())
        .extracting(Credential::key)
        .containsExactly(new Secret("k"));
    assertThat(providers.get(2).credentials()).isEmpty();
  }

  @Test
  void bedrocksKeysAreWhole() {
    String file =
        """
        version: 1
        providers:
          a: { type: bedrock, region: us-east-1, access_key: AKIA }
          b: { type: bedrock, region: us-east-1, secret_key: s }
          c: { type: bedrock, region: us-east-1, session_token: t, api_key: k }
          d: { type: bedrock, region: us-east-1, access_key: A, secret_key: s, api_key: k }
          e: { type: bedrock, region: East }
          f: { type: bedrock, region: us-east-1, access_key: "A B", secret_key: "s\ns" }
          g: { type: bedrock, region: us-east-1, headers: { X-Amz-Target: x } }
        """;
    assertThat(InMemoryConfig.of(file).problems())
        .containsExactly(
            "gateway.yaml:3:54: providers.a.access_key: needs secret_key as well",
            "gateway.yaml:4:54: providers.b.secret_key: needs access_key as well",
            "gateway.yaml:5:57: providers.c.session_token:"
                + " needs access_key and secret_key as well",
            "gateway.yaml:6:54: providers.d.access_key: give either an access key or an API key",
            "gateway.yaml:7:31: providers.e.region: must be a region such as us-east-1,"
                + " not \"East\"",
            "gateway.yaml:8:54: providers.f.access_key: must consist of visible ASCII characters",
            "gateway.yaml:8:73: providers.f.secret_key: must consist of visible ASCII characters",
            "gateway.yaml:10:67: providers.g.headers.X-Amz-Target: cannot be set: it is not part of the signature");
  }

  @Test
  void azureHasThreeInterfaces() {
    String file =
        """
        version: 1
        providers:
          a: { type: azure, base_url: https://n.openai.azure.com, api_key: k }
          b: { type: azure, base_url: https://n.openai.azure.com/, api: v1 }
          c: { type: azure, base_url: https://h/x, api: models, api_version: 2024-05-01-preview }
        """;
    List<Provider> providers =
        List.copyOf(
            new CatalogBuilder(_ -> 0).build(InMemoryConfig.of(file).settings()).providers());
    assertThat(providers).extracting(Provider::dialect).containsOnly("azure");
    assertThat(providers)
        .extracting(Provider::basePath)
        .containsExactly("/openai/deployments/{deployment}", "/openai/v1", "/x/models");
    assertThat(providers)
        .extracting(provider -> provider.quirks().query())
        .containsExactly("?api-version=2024-10-21", "", "?api-version=2024-05-01-preview");
  }

  @Test
  void anthropicSpeaksItsOwnDialect() {
    String file =
        """
        version: 1
        providers:
          usual: { type: anthropic }
          other:
            type: anthropic
            base_url: https://h/anthropic
            api_key: k
            headers: { anthropic-beta: b }
            quirks: { prefill: message, thinking: adaptive, sampling: false }
        """;
    List<Provider> providers =
        List.copyOf(
            new CatalogBuilder(_ -> 0).build(InMemoryConfig.of(file).settings()).providers());
    Provider usual = providers.getFirst();
    assertThat(usual.dialect()).isEqualTo("anthropic");
    assertThat(usual.endpoint()).isEqualTo(new EndpointIdentity(true, "api.anthropic.com", 443));
    assertThat(usual.quirks()).isEqualTo(Provider.Quirks.NONE);
    assertThat(usual.timeouts()).isEqualTo(Provider.ProviderTimeouts.DEFAULT);
    Provider other = providers.getLast();
    assertThat(other.basePath()).isEqualTo("/anthropic");
    assertThat(other.quirks())
        .isEqualTo(new Provider.Quirks(true, Prefill.MESSAGE, Thinking.ADAPTIVE, false));
    assertThat(other.credentials()).containsExactly(Credential.of(new Secret("k")));
  }

  @Test
  void anthropicHasNothingButChats() {
    var loading =
        InMemoryConfig.of(
            """
            version: 1
            providers:
              a:
                type: anthropic
                api_key: k
                headers: { X-Api-Key: x }
                quirks: { prefill: prefix }
            models:
              a/b:
                modality: embedding
                price: { input: "1" }
                routes: [{ provider: a, model: m }]
            """);
    assertThat(loading.problems())
        .anyMatch(problem -> problem.contains("a has no embedding models"))
        .anyMatch(problem -> problem.contains("is set from the configured key"))
        .anyMatch(problem -> problem.contains("must be none or message"));
  }

  @Test
  void geminiSpeaksItsOwnDialect() {
    String file =
        """
        version: 1
        providers:
          usual: { type: gemini }
          bad: { type: gemini, api_key: k, headers: { X-Goog-Api-Key: x } }
        """;
    assertThat(InMemoryConfig.of(file).problems())
        .singleElement()
        .asString()
        .contains("is set from the configured key");
    Provider usual =
        new CatalogBuilder(_ -> 0)
            .build(InMemoryConfig.of(file.lines().limit(3).collect(joining("\n"))).settings())
            .providers()
            .iterator()
            .next();
    assertThat(usual.dialect()).isEqualTo("gemini");
    assertThat(usual.endpoint())
        .isEqualTo(new EndpointIdentity(true, "generativelanguage.googleapis.com", 443));
    assertThat(usual.basePath()).isEmpty();
    assertThat(usual.quirks()).isEqualTo(Provider.Quirks.NONE);
  }

  @Test
  void vertexIsAProjectsPublisherInAPlace() {
    String file =
        """
        version: 1
        providers:
          gemini: { type: vertex, project: p-1 }
          claude: { type: vertex, project: p-1, location: eu, publisher: anthropic }
          local:
            type: vertex
            project: p-1
            location: europe-west1
            base_url: http://127.0.0.1:1/x
        """;
    List<Provider> all =
        List.copyOf(
            new CatalogBuilder(_ -> 0).build(InMemoryConfig.of(file).settings()).providers());
    assertThat(all.get(0).dialect()).isEqualTo("vertex");
    assertThat(all.get(0).endpoint())
        .isEqualTo(new EndpointIdentity(true, "aiplatform.googleapis.com", 443));
    assertThat(all.get(0).basePath())
        .isEqualTo("/v1/projects/p-1/locations/global/publishers/google");
    assertThat(all.get(0).credentials()).isEmpty();
    assertThat(all.get(1).dialect()).isEqualTo("vertex-anthropic");
    assertThat(all.get(1).endpoint().host()).isEqualTo("aiplatform.eu.rep.googleapis.com");
    assertThat(all.get(1).basePath())
        .isEqualTo("/v1/projects/p-1/locations/eu/publishers/anthropic");
    assertThat(all.get(2).endpoint()).isEqualTo(new EndpointIdentity(false, "127.0.0.1", 1));
    assertThat(all.get(2).basePath())
        .isEqualTo("/x/v1/projects/p-1/locations/europe-west1/publishers/google");
  }

  @Test
  void vertexNeedsTheKeyOfAServiceAccount() {
    var loading =
        InMemoryConfig.of(
            """
            version: 1
            providers:
              a:
                type: vertex
                project: p/1
                location: a b
                service_account: sk-1
                headers: { Authorization: x }
            """);
    assertThat(loading.problems())
        .anyMatch(problem -> problem.contains("is not a project's id"))
        .anyMatch(problem -> problem.contains("is not a location"))
        .anyMatch(problem -> problem.contains("is not the JSON key of a service account"))
        .anyMatch(problem -> problem.contains("is set from the configured key"));
  }

  @Test
  void theMockIsWhereItListens() {
    assertThat(provider("mock").endpoint())
        .isEqualTo(new EndpointIdentity(false, "127.0.0.1", 4711));
    assertThat(provider("mock").dialect()).isEqualTo("openai");
  }

  @Test
  void aModelHasItsRoutesInOrderOfPriority() {
    Model model = catalog.model(new ModelId("acme", "a")).orElseThrow();
    assertThat(model.name()).isEqualTo("a");
    assertThat(model.created()).isEqualTo(Instant.parse("2025-03-04T00:00:00Z"));
    assertThat(model.capabilities()).containsExactlyInAnyOrder("streaming", "json_schema");
    assertThat(model.outputTokensReserved()).isEqualTo(1000);
    assertThat(model.routes())
        .isEqualTo(
            List.of(
                new Route(provider("mock"), "first", 1, 7),
                new Route(provider("openai"), "second", 2, 100, 32_000, Optional.empty())));
  }

  private static InMemoryConfig withBaseUrl(String url) {
    return InMemoryConfig.of("version: 1")
        .set("providers={ a: { type: openai, base_url: '" + url + "' } }");
  }

  @ParameterizedTest
  @CsvSource({
    "https://h, true, h, 443, ''",
    "http://h/, false, h, 80, ''",
    "http://H.Example:8080/a/b/, false, h.example, 8080, /a/b",
    "'http://[::1]:9/v1', false, ::1, 9, /v1",
  })
  void aBaseUrlIsTakenApart(String url, boolean tls, String host, int port, String path) {
    Provider provider =
        new CatalogBuilder(_ -> 0).build(withBaseUrl(url).settings()).providers().iterator().next();
    assertThat(provider.endpoint()).isEqualTo(new EndpointIdentity(tls, host, port));
    assertThat(provider.basePath()).isEqualTo(path);
  }

  @ParameterizedTest
  @CsvSource({
    "ftp://h/v1",
    "h/v1",
    "https:///v1",
    "https://u@h/v1",
    "https://h/v1?a=b",
    "https://h:0/v1",
    "https://h/v1#x",
    "https://h:99999/v1",
  })
  void anythingElseIsNoBaseUrl(String url) {
    assertThat(withBaseUrl(url).problems())
        .singleElement()
        .asString()
        .contains("providers.a.base_url: must be an http:// or https:// address");
  }
}
