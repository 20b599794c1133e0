package dev.tollgate.core.catalog;

import dev.tollgate.core.id.ProviderId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Configured upstream service that serves models: dialect, endpoint, credentials and quirks.
 *
 * @param dialect name of the wire format, such as {@code openai}
 * @param basePath path prefix without a trailing slash, such as {@code /v1}; may be empty
 * @param credentials keys to choose from; empty means no key is sent
 * @param headers extra request headers
 * @param eventBytesMax size limit in bytes of a stream's event and of a plain reply
 * @param imageReplyBytesMax size limit in bytes of a reply with images
 */
public record Provider(
    ProviderId id,
    String dialect,
    EndpointIdentity endpoint,
    String basePath,
    List<Credential> credentials,
    Map<String, String> headers,
    ProviderTimeouts timeouts,
    PoolLimits pool,
    CircuitOptions circuit,
    Quirks quirks,
    OnDisconnect onDisconnect,
    int eventBytesMax,
    int imageReplyBytesMax) {
  /** Room for ten images of 8 MiB in base64, and the members around them. */
  public static final int IMAGE_REPLY_BYTES_MAX = 112 << 20;

  /** Creates a provider with the default bound of replies with images. */
  public Provider(
      ProviderId id,
      String dialect,
      EndpointIdentity endpoint,
      String basePath,
      List<Credential> credentials,
      Map<String, String> headers,
      ProviderTimeouts timeouts,
      PoolLimits pool,
      CircuitOptions circuit,
      Quirks quirks,
      OnDisconnect onDisconnect,
      int eventBytesMax) {
    this(
        id,
        dialect,
        endpoint,
        basePath,
        credentials,
        headers,
        timeouts,
        pool,
        circuit,
        quirks,
        onDisconnect,
        eventBytesMax,
        IMAGE_REPLY_BYTES_MAX);
  }

  public Provider {
    credentials = List.copyOf(credentials);
    headers = Map.copyOf(headers);
  }

  /**
   * Timeouts of an attempt at the provider (docs/decisions/retries.md#timeouts). {@code total} does
   * not run for streams.
   *
   * @param image replaces response head and first token for images, which take minutes
   */
  public record ProviderTimeouts(
      Duration connect,
      Duration responseHeader,
      Duration firstToken,
      Duration idle,
      Duration total,
      Duration image) {
    public static final ProviderTimeouts DEFAULT =
        new ProviderTimeouts(
            Duration.ofSeconds(2),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofMinutes(10));

    /** Creates timeouts with the default for images. */
    public ProviderTimeouts(
        Duration connect,
        Duration responseHeader,
        Duration firstToken,
        Duration idle,
        Duration total) {
      this(connect, responseHeader, firstToken, idle, total, Duration.ofMinutes(5));
    }
  }

  /**
   * Limits of the provider's connection pool: connections over all loops, pending requests, and
   * idle time.
   */
  public record PoolLimits(int connectionsMax, int pendingMax, Duration idle) {
    public static final PoolLimits DEFAULT = new PoolLimits(10_000, 1024, Duration.ofSeconds(30));
  }

  /**
   * Settings of the provider's circuit breakers.
   *
   * @param failures within {@code window} that open a circuit
   * @param openFor first duration of the open state; doubled after each failed probe
   * @param noResponseTimeout time after which an attempt counts as failed while the provider
   *     responds to no request; 0 means never
   */
  public record CircuitOptions(
      int failures,
      Duration window,
      Duration openFor,
      Duration openForMax,
      Duration noResponseTimeout) {
    public static final CircuitOptions DEFAULT =
        new CircuitOptions(5, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(5));

    /** Creates options with the default timeout of unresponsive providers. */
    public CircuitOptions(int failures, Duration window, Duration openFor, Duration openForMax) {
      this(failures, window, openFor, openForMax, Duration.ofSeconds(4));
    }
  }

  /**
   * Deviations of a provider from its dialect, which requests to it take into account.
   *
   * @param streamOptions whether the provider supports {@code stream_options}
   * @param prefill how the provider is asked to continue an answer
   * @param thinking how the provider is asked to reason, in dialects other than OpenAI's
   * @param sampling whether sampling parameters such as {@code temperature} are sent, in dialects
   *     other than OpenAI's
   * @param rights what clients may do with the operator's account
   * @param openAiQuirks deviations from OpenAI's dialect
   * @param query appended to every target, question mark included; may be empty
   * @param remoteMedia treatment of media URLs; empty means that the provider's address decides
   */
  public record Quirks(
      boolean streamOptions,
      Prefill prefill,
      Thinking thinking,
      boolean sampling,
      Rights rights,
      OpenAiQuirks openAiQuirks,
      String query,
      Optional<RemoteMedia> remoteMedia) {
    public static final Quirks NONE = new Quirks(true, Prefill.NONE);

    /** Creates quirks of a dialect other than OpenAI's. */
    public Quirks(
        boolean streamOptions,
        Prefill prefill,
        Thinking thinking,
        boolean sampling,
        Rights rights) {
      this(
          streamOptions,
          prefill,
          thinking,
          sampling,
          rights,
          OpenAiQuirks.NONE,
          "",
          Optional.empty());
    }

    /** Creates quirks of a dialect other than OpenAI's, without rights for clients. */
    public Quirks(boolean streamOptions, Prefill prefill, Thinking thinking, boolean sampling) {
      this(streamOptions, prefill, thinking, sampling, Rights.NONE);
    }

    /** Creates quirks of a variant of OpenAI's dialect. */
    public Quirks(boolean streamOptions, Prefill prefill, OpenAiQuirks openAiQuirks) {
      this(
          streamOptions,
          prefill,
          Thinking.AUTO,
          true,
          Rights.NONE,
          openAiQuirks,
          "",
          Optional.empty());
    }

    /** Returns a copy with other rights of clients. */
    public Quirks withRights(Rights others) {
      return new Quirks(
          streamOptions, prefill, thinking, sampling, others, openAiQuirks, query, remoteMedia);
    }

    /** Returns a copy with a suffix of every target. */
    public Quirks withQuery(String targetSuffix) {
      return new Quirks(
          streamOptions,
          prefill,
          thinking,
          sampling,
          rights,
          openAiQuirks,
          targetSuffix,
          remoteMedia);
    }

    /** Returns a copy with a treatment of media URLs. */
    public Quirks withRemoteMedia(RemoteMedia configured) {
      return new Quirks(
          streamOptions,
          prefill,
          thinking,
          sampling,
          rights,
          openAiQuirks,
          query,
          Optional.of(configured));
    }

    /** Creates quirks of OpenAI's dialect. */
    public Quirks(boolean streamOptions, Prefill prefill) {
      this(streamOptions, prefill, OpenAiQuirks.NONE);
    }
  }

  /**
   * Rights of clients to the operator's account at the provider.
   *
   * @param ownFiles to name files that only the account may read, no matter which client uploaded
   *     them
   * @param pricedOptions to choose options that the provider bills at other prices than the
   *     catalog's, or that choose another model or route
   */
  public record Rights(boolean ownFiles, boolean pricedOptions) {
    public static final Rights NONE = new Rights(false, false);
  }

  /**
   * Treatment of the upstream response after the client disconnected
   * (docs/decisions/disconnects.md#drain).
   */
  public sealed interface OnDisconnect {
    record Cancel() implements OnDisconnect {}

    /**
     * Continues to read the response for its usage, at most for {@code time} and for this share of
     * the open streams.
     */
    record Drain(Duration time, double share) implements OnDisconnect {
      /** Bounds of a provider that has none of its own. */
      public static final Drain USUAL = new Drain(Duration.ofSeconds(30), 0.01);
    }
  }
}
