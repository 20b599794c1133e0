package dev.tollgate.core.catalog;

import dev.tollgate.core.id.ProviderId;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A place that serves models: a dialect, an address, credentials and quirks (configuration only).
 *
 * @param dialect name of the wire format, such as {@code openai}
 * @param basePath path prefix without a trailing slash, such as {@code /v1}; may be empty
 * @param credentials keys to choose from; empty: none is sent
 * @param headers extra request headers
 * @param eventBytesMax the longest event of a stream and the longest plain reply
 * @param imageReplyBytesMax the longest reply with images
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
  /** Ten images of 8 MiB in base64, and what is said of them. */
  public static final int IMAGE_REPLY_BYTES_MAX = 112 << 20;

  /** With the usual bound of replies with images. */
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
   * The five timeouts (docs/decisions/retries.md#timeouts). {@code total} does not run for streams.
   *
   * @param image in place of head and first token where an image is made, which takes minutes
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

    /** With the usual time for an image. */
    public ProviderTimeouts(
        Duration connect,
        Duration responseHeader,
        Duration firstToken,
        Duration idle,
        Duration total) {
      this(connect, responseHeader, firstToken, idle, total, Duration.ofMinutes(5));
    }
  }

  /** Connections at most over all loops, requests waiting for one, and how long one idles. */
  public record PoolLimits(int connectionsMax, int pendingMax, Duration idle) {
    public static final PoolLimits DEFAULT = new PoolLimits(1024, 1024, Duration.ofSeconds(30));
  }

  /**
   * When the provider is left alone.
   *
   * @param failures within {@code window} that open its circuit
   * @param openFor how long at first; twice as long after each failed probe
   * @param noResponseTimeout after which a try counts as failed while the provider answers nobody;
   *     0: never
   */
  public record CircuitOptions(
      int failures,
      Duration window,
      Duration openFor,
      Duration openForMax,
      Duration noResponseTimeout) {
    public static final CircuitOptions DEFAULT =
        new CircuitOptions(5, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(5));

    /** With the usual silence. */
    public CircuitOptions(int failures, Duration window, Duration openFor, Duration openForMax) {
      this(failures, window, openFor, openForMax, Duration.ofSeconds(4));
    }
  }

  /**
   * Deviations from the dialect.
   *
   * @param streamOptions whether it understands these
   * @param prefill how it is asked to continue an answer
   * @param thinking how it is asked to think, where it does not speak OpenAI
   * @param sampling whether it is given a temperature and its like, where it does not speak OpenAI
   * @param rights what clients may do with the operator's account, where it does not speak OpenAI
   * @param openAiQuirks from OpenAI, where it speaks that
   * @param query what every target ends with, question mark included; empty: nothing
   */
  public record Quirks(
      boolean streamOptions,
      Prefill prefill,
      Thinking thinking,
      boolean sampling,
      Rights rights,
      OpenAiQuirks openAiQuirks,
      String query) {
    public static final Quirks NONE = new Quirks(true, Prefill.NONE);

    /** Of a provider that does not speak OpenAI. */
    public Quirks(
        boolean streamOptions,
        Prefill prefill,
        Thinking thinking,
        boolean sampling,
        Rights rights) {
      this(streamOptions, prefill, thinking, sampling, rights, OpenAiQuirks.NONE, "");
    }

    /** The same, whose clients may do nothing with its account. */
    public Quirks(boolean streamOptions, Prefill prefill, Thinking thinking, boolean sampling) {
      this(streamOptions, prefill, thinking, sampling, Rights.NONE);
    }

    /** Of a provider that speaks OpenAI in its own way. */
    public Quirks(boolean streamOptions, Prefill prefill, OpenAiQuirks openAiQuirks) {
      this(streamOptions, prefill, Thinking.AUTO, true, Rights.NONE, openAiQuirks, "");
    }

    /** The same with an end of every target. */
    public Quirks withQuery(String targetSuffix) {
      return new Quirks(
          streamOptions, prefill, thinking, sampling, rights, openAiQuirks, targetSuffix);
    }

    /** Of a provider that speaks OpenAI. */
    public Quirks(boolean streamOptions, Prefill prefill) {
      this(streamOptions, prefill, OpenAiQuirks.NONE);
    }
  }

  /**
   * What clients may do with the operator's account.
   *
   * @param ownFiles name files that only the account may read, whoever put them there
   * @param pricedOptions choose what the provider bills at other prices than those of the catalog
   */
  public record Rights(boolean ownFiles, boolean pricedOptions) {
    public static final Rights NONE = new Rights(false, false);
  }

  /** What to do with the upstream when the client left (docs/decisions/disconnects.md#drain). */
  public sealed interface OnDisconnect {
    record Cancel() implements OnDisconnect {}

    /** Read on for the usage, at most {@code time} and this share of the open streams. */
    record Drain(Duration time, double share) implements OnDisconnect {}
  }
}
