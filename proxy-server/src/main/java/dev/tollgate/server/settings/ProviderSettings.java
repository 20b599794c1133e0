package dev.tollgate.server.settings;

import static dev.tollgate.core.catalog.Modality.CHAT;
import static dev.tollgate.core.catalog.Modality.EMBEDDING;
import static dev.tollgate.core.catalog.Modality.IMAGE;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Flattened;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Tag;
import dev.tollgate.server.settings.binding.TaggedBy;
import dev.tollgate.server.settings.value.HttpUrl;
import dev.tollgate.server.settings.value.ServiceAccount;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Configuration entry of {@code providers}, with one record for each provider type. A record
 * declares the keys of its type and, as a {@link RemoteProvider}, everything else that checks and
 * catalog need of it.
 */
@TaggedBy(
    value = "type",
    about =
        "API of the provider: openai (any OpenAI-compatible server), azure,"
            + " anthropic, gemini, vertex, bedrock, cohere, ollama, or mock (the bundled"
            + " scripted provider)")
public sealed interface ProviderSettings {
  /** Provider of {@code type: openai}: any server with an OpenAI-compatible API. */
  @Tag("openai")
  @ProviderTraits(dialect = "openai")
  record OpenAi(
      @Key(about = "known server with its address and quirks; other keys override them")
          @Nullable KnownServer preset,
      @Key(
              name = "base_url",
              about =
                  "base URL of the API, such as https://api.openai.com/v1; null: that of the"
                      + " preset")
          @Nullable HttpUrl givenUrl,
      @Flattened ApiKeySettings keys,
      @Flattened ConnectionSettings connection,
      @Key(
              about = "size limit of a reply with images",
              initial = "112MiB",
              min = "4KiB",
              bytes = true)
          int maxImageReplyBytes,
      @Key(about = "deviations from the API") OpenAiQuirkSettings quirks,
      @Key(about = "extra request headers; values are secret") Map<String, Secret> headers)
      implements ProviderSettings, RemoteProvider {
    @Override
    public HttpUrl baseUrl() {
      return givenUrl != null ? givenUrl : presetUrl().orElseThrow(); // check() requires one
    }

    /** Returns the address of the preset, if its server has one address for all. */
    private Optional<HttpUrl> presetUrl() {
      return preset == null ? Optional.empty() : HttpUrl.parse(preset.baseUrl());
    }

    @Override
    public Provider.Quirks catalogQuirks() {
      return quirks.mergedInto(preset);
    }

    @Override
    public void check(SectionProblems problems) {
      if (givenUrl == null && presetUrl().isEmpty()) {
        problems.addFirst("base_url", "is required, unless a preset has an address");
      }
    }
  }

  /** Provider of {@code type: azure}: OpenAI's format at Azure OpenAI and Azure AI Foundry. */
  @Tag("azure")
  @ProviderTraits(dialect = "azure", keyHeader = "api-key")
  record Azure(
      @Key(
              about = "base URL of the resource, such as https://name.openai.azure.com",
              required = true)
          HttpUrl baseUrl,
      @Key(
              about =
                  "API of the resource: deployments (a route's model is the deployment), v1,"
                      + " or models (inference of Foundry)",
              initial = "deployments")
          AzureApi api,
      @Key(
              about = "api-version for deployments and models",
              initial = "2024-10-21",
              pattern = "[0-9A-Za-z.-]{1,40}",
              expects = "a version such as 2024-10-21")
          String apiVersion,
      @Flattened ApiKeySettings keys,
      @Flattened ConnectionSettings connection,
      @Key(
              about = "size limit of a reply with images",
              initial = "112MiB",
              min = "4KiB",
              bytes = true)
          int maxImageReplyBytes,
      @Key(about = "deviations from the API") OpenAiQuirkSettings quirks,
      @Key(about = "extra request headers; values are secret") Map<String, Secret> headers)
      implements ProviderSettings, RemoteProvider {
    @Override
    public String basePath() {
      return baseUrl.path() + api.path();
    }

    @Override
    public Provider.Quirks catalogQuirks() {
      return quirks.toCatalog().withQuery(api.query(apiVersion));
    }
  }

  /**
   * Provider of {@code type: anthropic}: Anthropic's Messages API, or a server compatible with it.
   */
  @Tag("anthropic")
  @ProviderTraits(dialect = "anthropic", keyHeader = "x-api-key", modalities = CHAT)
  record Anthropic(
      @Key(about = "base URL of the API", initial = "https://api.anthropic.com") HttpUrl baseUrl,
      @Flattened ApiKeySettings keys,
      @Flattened ConnectionSettings connection,
      @Key(about = "deviations of its models") ModelQuirkSettings quirks,
      @Key(about = "extra request headers; values are secret") Map<String, Secret> headers)
      implements ProviderSettings, RemoteProvider {}

  /** Provider of {@code type: gemini}: Gemini's API with keys of Google AI Studio. */
  @Tag("gemini")
  @ProviderTraits(
      dialect = "gemini",
      keyHeader = "x-goog-api-key",
      modalities = {CHAT, EMBEDDING, IMAGE})
  record Gemini(
      @Key(about = "base URL of the API", initial = "https://generativelanguage.googleapis.com")
          HttpUrl baseUrl,
      @Flattened ApiKeySettings keys,
      @Flattened ConnectionSettings connection,
      @Key(about = "deviations of its models") ModelQuirkSettings quirks,
      @Key(about = "extra request headers; values are secret") Map<String, Secret> headers)
      implements ProviderSettings, RemoteProvider {}

  /** Provider of {@code type: vertex}: models that Google's Vertex AI hosts. */
  @Tag("vertex")
  @ProviderTraits(
      dialect = "vertex",
      modalities = {CHAT, IMAGE})
  record Vertex(
      @Key(about = "project in Google Cloud", required = true) String project,
      @Key(about = "region of the models, or global", initial = "global") String location,
      @Key(about = "publisher of the models: google (Gemini) or anthropic", initial = "google")
          Publisher publisher,
      @Key(name = "base_url", about = "base URL of the API; null: that of the location")
          @Nullable HttpUrl address,
      @Key(
              about =
                  "JSON key of a service account, to fetch access tokens; null: no token; an empty"
                      + " variable: the provider is not configured",
              keepsEmpty = true)
          @Nullable Secret serviceAccount,
      @Flattened ConnectionSettings connection,
      @Key(about = "deviations of its models") ModelQuirkSettings quirks,
      @Key(about = "extra request headers; values are secret") Map<String, Secret> headers)
      implements ProviderSettings, RemoteProvider {
    private static final String CLOUD_NAME = "[a-z0-9][a-z0-9.:-]*";

    /**
     * Publisher of the models that a Vertex AI provider serves, which determines their API format.
     */
    public enum Publisher {
      GOOGLE,
      ANTHROPIC
    }

    @Override
    public String dialect() {
      return publisher == Publisher.GOOGLE ? RemoteProvider.super.dialect() : "vertex-anthropic";
    }

    @Override
    public Set<Modality> modalities() {
      return publisher == Publisher.GOOGLE ? RemoteProvider.super.modalities() : EnumSet.of(CHAT);
    }

    @Override
    public HttpUrl baseUrl() {
      return address != null ? address : HttpUrl.https(host());
    }

    private String host() {
      return switch (location) {
        case "global" -> "aiplatform.googleapis.com";
        case "eu", "us" -> "aiplatform." + location + ".rep.googleapis.com";
        default -> location + "-aiplatform.googleapis.com";
      };
    }

    @Override
    public String basePath() {
      String owner = publisher.name().toLowerCase(Locale.ROOT);
      return "%s/v1/projects/%s/locations/%s/publishers/%s"
          .formatted(baseUrl().path(), project, location, owner);
    }

    @Override
    public boolean hasCredentials() {
      return serviceAccount != null;
    }

    @Override
    public boolean isConfigured() {
      return serviceAccount == null || !serviceAccount.reveal().isEmpty();
    }

    @Override
    public List<Credential> credentials(Function<Secret, AccessToken> tokens) {
      return serviceAccount == null || !isConfigured()
          ? List.of()
          : List.of(Credential.of(serviceAccount, tokens.apply(serviceAccount)));
    }

    @Override
    public void check(SectionProblems problems) {
      if (!project.matches(CLOUD_NAME)) {
        problems.add("project", "is not a project's id");
      }
      if (!location.matches(CLOUD_NAME)) {
        problems.add("location", "is not a location");
      }
      if (serviceAccount != null
          && isConfigured()
          && ServiceAccount.parse(serviceAccount).isEmpty()) {
        problems.add("service_account", "is not the JSON key of a service account");
      }
    }
  }

  /** Provider of {@code type: bedrock}: models that Amazon Bedrock hosts. */
  @Tag("bedrock")
  @ProviderTraits(
      dialect = "bedrock",
      modalities = {CHAT, EMBEDDING})
  record Bedrock(
      @Key(
              about = "region of the models",
              required = true,
              pattern = "[a-z]{2,4}(-[a-z0-9]{1,12}){1,4}",
              expects = "a region such as us-east-1")
          String region,
      @Key(name = "base_url", about = "base URL of the runtime; null: that of the region")
          @Nullable HttpUrl address,
      @Flattened AwsKeySettings awsKeys,
      @Flattened ApiKeySettings keys,
      @Flattened ConnectionSettings connection,
      @Key(about = "deviations of its models") ModelQuirkSettings quirks,
      @Key(about = "extra request headers; values are secret") Map<String, Secret> headers)
      implements ProviderSettings, RemoteProvider {
    @Override
    public HttpUrl baseUrl() {
      return address != null ? address : HttpUrl.https(host());
    }

    private String host() {
      String domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
      return "bedrock-runtime." + region + "." + domain;
    }

    @Override
    public boolean hasCredentials() {
      return awsKeys.accessKey() != null || !keys.isEmpty();
    }

    @Override
    public boolean isConfigured() {
      return awsKeys.areConfigured() && keys.areConfigured();
    }

    @Override
    public List<Credential> credentials(Function<Secret, AccessToken> tokens) {
      return awsKeys
          .credentials(region)
          .map(signing -> List.of(Credential.of(signing.packed())))
          .orElseGet(keys::credentials);
    }

    @Override
    public String modelProblem(Modality modality, String model) {
      return modality == EMBEDDING && !model.contains("titan-embed")
          ? "must be a Titan model: Tollgate supports no other embeddings of Bedrock"
          : "";
    }

    @Override
    public void check(SectionProblems problems) {
      awsKeys.check(problems);
      if (awsKeys.accessKey() != null && !keys.isEmpty()) {
        problems.add("access_key", "give either an access key or an API key");
      }
      for (String name : headers.keySet()) {
        if (name.toLowerCase(Locale.ROOT).startsWith("x-amz-")) {
          problems.add(
              SettingPaths.join("headers", name), "cannot be set: it is not part of the signature");
        }
      }
    }
  }

  /** Provider of {@code type: cohere}: Cohere's API, version 2. */
  @Tag("cohere")
  @ProviderTraits(
      dialect = "cohere",
      modalities = {CHAT, EMBEDDING})
  record Cohere(
      @Key(about = "base URL of the API", initial = "https://api.cohere.com") HttpUrl baseUrl,
      @Flattened ApiKeySettings keys,
      @Flattened ConnectionSettings connection,
      @Key(about = "deviations from the API") MediaQuirkSettings quirks,
      @Key(about = "extra request headers; values are secret") Map<String, Secret> headers)
      implements ProviderSettings, RemoteProvider {}

  /** Provider of {@code type: ollama}: Ollama's native API. */
  @Tag("ollama")
  @ProviderTraits(dialect = "ollama", modalities = CHAT)
  record Ollama(
      @Key(about = "base URL of the API", initial = "http://127.0.0.1:11434") HttpUrl baseUrl,
      @Flattened ApiKeySettings keys,
      @Flattened ConnectionSettings connection,
      @Key(about = "deviations from the API") MediaQuirkSettings quirks,
      @Key(about = "extra request headers; values are secret") Map<String, Secret> headers)
      implements ProviderSettings, RemoteProvider {
    /** Returns the quirks: Ollama continues a last message of the assistant. */
    @Override
    public Provider.Quirks catalogQuirks() {
      return quirks.toCatalog(Prefill.MESSAGE);
    }
  }

  /**
   * Provider of {@code type: mock}: the scripted provider in this process, on its own loopback
   * port.
   */
  @Tag("mock")
  record Mock(
      @Key(about = "time to the first token", initial = "50ms", max = "1h") Duration ttft,
      @Key(about = "time between chunks", initial = "20ms", max = "1h") Duration chunkInterval,
      @Key(about = "chunks of a reply", initial = "64", min = "0", max = "1000000") int chunks,
      @Key(about = "seed of the generated words and ids", initial = "1") long seed)
      implements ProviderSettings {}
}
