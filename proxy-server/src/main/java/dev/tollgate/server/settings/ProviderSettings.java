package dev.tollgate.server.settings;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.OpenAiQuirks;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.catalog.Thinking;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Keyword;
import dev.tollgate.server.settings.binding.Shorthand;
import dev.tollgate.server.settings.binding.Tag;
import dev.tollgate.server.settings.binding.TaggedBy;
import dev.tollgate.server.settings.value.HttpUrl;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One entry of {@code providers}: a place that serves models. */
@TaggedBy(
    value = "type",
    about =
        "what it speaks: openai (any OpenAI-compatible server), azure, anthropic, gemini, vertex,"
            + " bedrock, cohere, ollama, or mock (the bundled scripted one)")
public sealed interface ProviderSettings {

  int HTTPS_PORT = 443;

  /** What all providers have that are elsewhere. */
  sealed interface Remote
      permits OpenAi, Azure, Anthropic, Gemini, Vertex, Bedrock, Cohere, Ollama {
    HttpUrl baseUrl();

    @Nullable Secret apiKey();

    List<Credential> apiKeys();

    Timeouts timeouts();

    Pool pool();

    Circuit circuit();

    OnDisconnect onDisconnect();

    int eventBytesMax();

    /** Only some of them draw. */
    default int maxImageReplyBytes() {
      return Provider.IMAGE_REPLY_BYTES_MAX;
    }

    Map<String, Secret> headers();
  }

  /** {@code type: openai}: any server with an OpenAI-compatible API. */
  @Tag("openai")
  record OpenAi(
      @Key(about = "a server whose address and quirks are known; what stands beside it comes first")
          @Nullable KnownServer preset,
      @Key(
              name = "base_url",
              about = "address of its API, such as https://api.openai.com/v1; null: the preset's")
          @Nullable HttpUrl givenUrl,
      @Key(about = "its key; null: none is sent") @Nullable Secret apiKey,
      @Key(about = "several keys as a weighted pool, instead of api_key") List<Credential> apiKeys,
      @Key(about = "five clocks") Timeouts timeouts,
      @Key(about = "connections to it") Pool pool,
      @Key(about = "when it is left alone for a while") Circuit circuit,
      @Key(
              about = "cancel, or drain to read on for the usage when a client left",
              initial = "cancel")
          OnDisconnect onDisconnect,
      @Key(
              name = "max_event_bytes",
              about = "longest event of a stream and longest plain reply",
              initial = "32MiB",
              min = "4KiB",
              max = "1GiB",
              bytes = true)
          int eventBytesMax,
      @Key(about = "longest reply with images", initial = "112MiB", min = "4KiB", bytes = true)
          int maxImageReplyBytes,
      @Key(about = "deviations from the API") Quirks quirks,
      @Key(about = "extra request headers; their values are kept secret")
          Map<String, Secret> headers)
      implements ProviderSettings, Remote {
    @Override
    public HttpUrl baseUrl() {
      return givenUrl != null ? givenUrl : presetUrl().orElseThrow(); // one of both is checked
    }

    /** Where the known server is, if it is at one place. */
    Optional<HttpUrl> presetUrl() {
      return preset == null ? Optional.empty() : HttpUrl.parse(preset.baseUrl());
    }
  }

  /** {@code type: azure}: OpenAI's format at Azure OpenAI and Azure AI Foundry. */
  @Tag("azure")
  record Azure(
      @Key(
              about = "address of the resource, such as https://name.openai.azure.com",
              required = true)
          HttpUrl baseUrl,
      @Key(
              about =
                  "which of its interfaces: deployments (a route's model is the deployment), v1, or"
                      + " models (Foundry's inference)",
              initial = "deployments")
          AzureApi api,
      @Key(
              about = "api-version of deployments and models",
              initial = "2024-10-21",
              pattern = "[0-9A-Za-z.-]{1,40}",
              expects = "a version such as 2024-10-21")
          String apiVersion,
      @Key(about = "its key; null: none is sent") @Nullable Secret apiKey,
      @Key(about = "several keys as a weighted pool, instead of api_key") List<Credential> apiKeys,
      @Key(about = "five clocks") Timeouts timeouts,
      @Key(about = "connections to it") Pool pool,
      @Key(about = "when it is left alone for a while") Circuit circuit,
      @Key(
              about = "cancel, or drain to read on for the usage when a client left",
              initial = "cancel")
          OnDisconnect onDisconnect,
      @Key(
              name = "max_event_bytes",
              about = "longest event of a stream and longest plain reply",
              initial = "32MiB",
              min = "4KiB",
              max = "1GiB",
              bytes = true)
          int eventBytesMax,
      @Key(about = "longest reply with images", initial = "112MiB", min = "4KiB", bytes = true)
          int maxImageReplyBytes,
      @Key(about = "deviations from the API") Quirks quirks,
      @Key(about = "extra request headers; their values are kept secret")
          Map<String, Secret> headers)
      implements ProviderSettings, Remote {}

  /** {@code type: anthropic}: Anthropic's Messages, or a server that is compatible with it. */
  @Tag("anthropic")
  record Anthropic(
      @Key(about = "address of its API", initial = "https://api.anthropic.com") HttpUrl baseUrl,
      @Key(about = "its key; null: none is sent") @Nullable Secret apiKey,
      @Key(about = "several keys as a weighted pool, instead of api_key") List<Credential> apiKeys,
      @Key(about = "five clocks") Timeouts timeouts,
      @Key(about = "connections to it") Pool pool,
      @Key(about = "when it is left alone for a while") Circuit circuit,
      @Key(
              about = "cancel, or drain to read on for the usage when a client left",
              initial = "cancel")
          OnDisconnect onDisconnect,
      @Key(
              name = "max_event_bytes",
              about = "longest event of a stream and longest plain reply",
              initial = "32MiB",
              min = "4KiB",
              max = "1GiB",
              bytes = true)
          int eventBytesMax,
      @Key(about = "what its models differ in") ModelQuirks quirks,
      @Key(about = "extra request headers; their values are kept secret")
          Map<String, Secret> headers)
      implements ProviderSettings, Remote {}

  /** {@code type: gemini}: Gemini's API with keys, as Google's AI Studio gives them out. */
  @Tag("gemini")
  record Gemini(
      @Key(about = "address of its API", initial = "https://generativelanguage.googleapis.com")
          HttpUrl baseUrl,
      @Key(about = "its key; null: none is sent") @Nullable Secret apiKey,
      @Key(about = "several keys as a weighted pool, instead of api_key") List<Credential> apiKeys,
      @Key(about = "five clocks") Timeouts timeouts,
      @Key(about = "connections to it") Pool pool,
      @Key(about = "when it is left alone for a while") Circuit circuit,
      @Key(
              about = "cancel, or drain to read on for the usage when a client left",
              initial = "cancel")
          OnDisconnect onDisconnect,
      @Key(
              name = "max_event_bytes",
              about = "longest event of a stream and longest plain reply",
              initial = "32MiB",
              min = "4KiB",
              max = "1GiB",
              bytes = true)
          int eventBytesMax,
      @Key(about = "what its models differ in") ModelQuirks quirks,
      @Key(about = "extra request headers; their values are kept secret")
          Map<String, Secret> headers)
      implements ProviderSettings, Remote {}

  /** {@code type: vertex}: the models that Google's Vertex AI hosts. */
  @Tag("vertex")
  record Vertex(
      @Key(about = "the Google Cloud project", required = true) String project,
      @Key(about = "region of its models, or global", initial = "global") String location,
      @Key(about = "whose models: google (Gemini) or anthropic", initial = "google")
          Publisher publisher,
      @Key(name = "base_url", about = "address of the API; null: that of the location")
          @Nullable HttpUrl address,
      @Key(
              about =
                  "JSON key of a service account, with which tokens are fetched; null: none is sent")
          @Nullable Secret serviceAccount,
      @Key(about = "five clocks") Timeouts timeouts,
      @Key(about = "connections to it") Pool pool,
      @Key(about = "when it is left alone for a while") Circuit circuit,
      @Key(
              about = "cancel, or drain to read on for the usage when a client left",
              initial = "cancel")
          OnDisconnect onDisconnect,
      @Key(
              name = "max_event_bytes",
              about = "longest event of a stream and longest plain reply",
              initial = "32MiB",
              min = "4KiB",
              max = "1GiB",
              bytes = true)
          int eventBytesMax,
      @Key(about = "what its models differ in") ModelQuirks quirks,
      @Key(about = "extra request headers; their values are kept secret")
          Map<String, Secret> headers)
      implements ProviderSettings, Remote {

    /** Whose models they are. */
    public enum Publisher {
      GOOGLE,
      ANTHROPIC
    }

    @Override
    public HttpUrl baseUrl() {
      return address != null ? address : new HttpUrl(true, host(), HTTPS_PORT, "");
    }

    private String host() {
      return switch (location) {
        case "global" -> "aiplatform.googleapis.com";
        case "eu", "us" -> "aiplatform." + location + ".rep.googleapis.com";
        default -> location + "-aiplatform.googleapis.com";
      };
    }

    /** What stands ahead of the model in a request's target. */
    public String models() {
      String owner = publisher.name().toLowerCase(Locale.ROOT);
      return "%s/v1/projects/%s/locations/%s/publishers/%s"
          .formatted(baseUrl().path(), project, location, owner);
    }

    @Override
    public @Nullable Secret apiKey() {
      return null;
    }

    @Override
    public List<Credential> apiKeys() {
      return List.of();
    }
  }

  /** {@code type: bedrock}: the models that Amazon Bedrock hosts. */
  @Tag("bedrock")
  record Bedrock(
      @Key(
              about = "region whose models are asked",
              required = true,
              pattern = "[a-z]{2,4}(-[a-z0-9]{1,12}){1,4}",
              expects = "a region such as us-east-1")
          String region,
      @Key(name = "base_url", about = "address of its runtime; null: that of the region")
          @Nullable HttpUrl address,
      @Key(about = "access key with which requests are signed; null: they are not")
          @Nullable String accessKey,
      @Key(about = "secret of the access key") @Nullable Secret secretKey,
      @Key(about = "token of an access key that is good for some hours")
          @Nullable Secret sessionToken,
      @Key(about = "an API key in place of an access key; null: none is sent")
          @Nullable Secret apiKey,
      @Key(about = "several API keys as a weighted pool, instead of api_key")
          List<Credential> apiKeys,
      @Key(about = "five clocks") Timeouts timeouts,
      @Key(about = "connections to it") Pool pool,
      @Key(about = "when it is left alone for a while") Circuit circuit,
      @Key(
              about = "cancel, or drain to read on for the usage when a client left",
              initial = "cancel")
          OnDisconnect onDisconnect,
      @Key(
              name = "max_event_bytes",
              about = "longest event of a stream and longest plain reply",
              initial = "32MiB",
              min = "4KiB",
              max = "1GiB",
              bytes = true)
          int eventBytesMax,
      @Key(about = "what its models differ in") ModelQuirks quirks,
      @Key(about = "extra request headers; their values are kept secret")
          Map<String, Secret> headers)
      implements ProviderSettings, Remote {
    @Override
    public HttpUrl baseUrl() {
      return address != null ? address : new HttpUrl(true, host(), HTTPS_PORT, "");
    }

    private String host() {
      String domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
      return "bedrock-runtime." + region + "." + domain;
    }

    /** What signs its requests; empty: nothing does. */
    Optional<AwsCredentials> awsKeys() {
      return accessKey == null || secretKey == null
          ? Optional.empty()
          : Optional.of(
              new AwsCredentials(region, accessKey, secretKey, Optional.ofNullable(sessionToken)));
    }
  }

  /** {@code type: cohere}: Cohere's API, version 2. */
  @Tag("cohere")
  record Cohere(
      @Key(about = "address of its API", initial = "https://api.cohere.com") HttpUrl baseUrl,
      @Key(about = "its key; null: none is sent") @Nullable Secret apiKey,
      @Key(about = "several keys as a weighted pool, instead of api_key") List<Credential> apiKeys,
      @Key(about = "five clocks") Timeouts timeouts,
      @Key(about = "connections to it") Pool pool,
      @Key(about = "when it is left alone for a while") Circuit circuit,
      @Key(
              about = "cancel, or drain to read on for the usage when a client left",
              initial = "cancel")
          OnDisconnect onDisconnect,
      @Key(
              name = "max_event_bytes",
              about = "longest event of a stream and longest plain reply",
              initial = "32MiB",
              min = "4KiB",
              max = "1GiB",
              bytes = true)
          int eventBytesMax,
      @Key(about = "extra request headers; their values are kept secret")
          Map<String, Secret> headers)
      implements ProviderSettings, Remote {}

  /** {@code type: ollama}: Ollama's own API. */
  @Tag("ollama")
  record Ollama(
      @Key(about = "address of its API", initial = "http://127.0.0.1:11434") HttpUrl baseUrl,
      @Key(about = "its key; null: none is sent") @Nullable Secret apiKey,
      @Key(about = "several keys as a weighted pool, instead of api_key") List<Credential> apiKeys,
      @Key(about = "five clocks") Timeouts timeouts,
      @Key(about = "connections to it") Pool pool,
      @Key(about = "when it is left alone for a while") Circuit circuit,
      @Key(
              about = "cancel, or drain to read on for the usage when a client left",
              initial = "cancel")
          OnDisconnect onDisconnect,
      @Key(
              name = "max_event_bytes",
              about = "longest event of a stream and longest plain reply",
              initial = "32MiB",
              min = "4KiB",
              max = "1GiB",
              bytes = true)
          int eventBytesMax,
      @Key(about = "extra request headers; their values are kept secret")
          Map<String, Secret> headers)
      implements ProviderSettings, Remote {}

  /** {@code type: mock}: the scripted provider in this process, on a loopback port of its own. */
  @Tag("mock")
  record Mock(
      @Key(about = "time to the first token", initial = "50ms", max = "1h") Duration ttft,
      @Key(about = "time between chunks", initial = "20ms", max = "1h") Duration chunkInterval,
      @Key(about = "chunks of an answer", initial = "64", min = "0", max = "1000000") int chunks,
      @Key(about = "what its words and ids derive from", initial = "1") long seed)
      implements ProviderSettings {}

  /** One key of a pool. */
  @Shorthand("key")
  record Credential(
      @Key(about = "the key", required = true) Secret key,
      @Key(about = "its share of the requests", initial = "100", min = "1", max = "1000000")
          int weight) {}

  /** Section {@code timeouts} (docs/decisions/retries.md#timeouts). */
  record Timeouts(
      @Key(about = "until connected, TLS included", initial = "2s", min = "1ms") Duration connect,
      @Key(about = "until the response's head", initial = "30s", min = "1ms")
          Duration responseHeader,
      @Key(about = "until a stream's first event", initial = "60s", min = "1ms")
          Duration firstToken,
      @Key(about = "silence at most", initial = "30s", min = "1ms") Duration idle,
      @Key(about = "whole call; does not run for streams", initial = "10m", min = "1ms")
          Duration total,
      @Key(about = "until an image's head, and its first byte", initial = "5m", min = "1ms")
          Duration image) {}

  /** Section {@code pool}. */
  record Pool(
      @Key(
              name = "max_connections",
              about = "connections at most, over all event loops",
              initial = "1024",
              min = "1")
          int connectionsMax,
      @Key(about = "requests that wait for a connection at most", initial = "1024", min = "0")
          int pending,
      @Key(about = "time after which an unused connection is closed", initial = "30s", min = "1ms")
          Duration idle) {}

  /** Section {@code circuit}. */
  record Circuit(
      @Key(
              about = "failures within the window that open it",
              initial = "5",
              min = "1",
              max = "1000")
          int failures,
      @Key(about = "window", initial = "10s", min = "1ms") Duration window,
      @Key(about = "time it stays open at first", initial = "2s", min = "1ms") Duration openFor,
      @Key(about = "time it stays open at most", initial = "5s", min = "1ms") Duration openForMax,
      @Key(
              about = "time after which a try counts as failed while nobody is answered; 0: never",
              initial = "4s",
              min = "0s")
          Duration noResponseTimeout) {}

  /**
   * {@code on_disconnect}: {@code cancel}, or a drain.
   *
   * @param drain null: cancel
   */
  @Keyword("cancel")
  record OnDisconnect(@Key(about = "read on after the client left") @Nullable Drain drain) {}

  /** Section {@code on_disconnect.drain}. */
  record Drain(
      @Key(about = "time at most", initial = "30s", min = "1ms") Duration time,
      @Key(about = "share of the open streams at most", initial = "0.01", min = "0", max = "1")
          double share) {}

  /** Section {@code quirks}: what is null or empty is as the preset says, else as OpenAI does. */
  record Quirks(
      @Key(about = "whether it understands stream_options; null: true")
          @Nullable Boolean streamOptions,
      @Key(about = "how it is asked to continue an answer that was begun; null: none")
          @Nullable Prefill prefill,
      @Key(about = "members of a chat that it refuses: they are not sent, and said to be dropped")
          List<String> drop,
      @Key(about = "its names of a chat's members, by OpenAI's") Map<String, String> rename,
      @Key(about = "members of messages that it refuses") List<String> dropMessageFields,
      @Key(about = "whether it knows the role developer, else it gets system; null: true")
          @Nullable Boolean developerRole,
      @Key(about = "whether it takes a JSON schema, else it is asked for JSON; null: true")
          @Nullable Boolean jsonSchema,
      @Key(about = "which ids of tool calls it takes back; null: any")
          OpenAiQuirks.@Nullable CallIds callIds,
      @Key(about = "where it writes what it thought; null: as_is")
          OpenAiQuirks.@Nullable Reasoning reasoning,
      @Key(about = "how it wants to be asked for images: openai, xai or together; null: openai")
          @Nullable ImageApiStyle images,
      @Key(about = "which of OpenAI's models one of its own is, where its name does not say")
          Map<String, String> models) {}

  /** Section {@code quirks} of a provider that does not speak OpenAI. */
  record ModelQuirks(
      @Key(about = "how it is asked to continue an answer that was begun", initial = "none")
          Prefill prefill,
      @Key(about = "how it is asked to reason", initial = "auto") Thinking thinking,
      @Key(
              about =
                  "whether it is given temperature, top_p and top_k, where its model takes them",
              initial = "true")
          boolean sampling,
      @Key(
              about =
                  "Gemini's: whether clients may name files that only your account may read:"
                      + " uploaded ones, buckets (gs:), cached_content",
              initial = "false")
          boolean ownFiles,
      @Key(
              about =
                  "Bedrock's: whether clients may choose what AWS bills apart from the catalog's"
                      + " prices: service_tier, performanceConfig, guardrailConfig",
              initial = "false")
          boolean pricedOptions) {}
}
