package dev.tollgate.core.api;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Routes of the API listener, each with its method, path and accepted body. */
public enum Endpoint {
  CHAT_COMPLETIONS("POST", "/v1/chat/completions", Content.JSON, Urgency.INTERACTIVE),
  COMPLETIONS("POST", "/v1/completions", Content.JSON, Urgency.INTERACTIVE),
  RESPONSES("POST", "/v1/responses", Content.JSON, Urgency.INTERACTIVE),
  EMBEDDINGS("POST", "/v1/embeddings", Content.JSON, Urgency.BATCH),
  SPEECH("POST", "/v1/audio/speech", Content.JSON, Urgency.BATCH),
  TRANSCRIPTIONS("POST", "/v1/audio/transcriptions", Content.MULTIPART, Urgency.BATCH),
  IMAGE_GENERATIONS(
      "POST", "/v1/images/generations", Content.JSON, Urgency.BATCH, IdempotencyPolicy.OPTIONAL),
  IMAGE_EDITS(
      "POST",
      "/v1/images/edits",
      Content.JSON_OR_MULTIPART,
      Urgency.BATCH,
      IdempotencyPolicy.OPTIONAL),
  VIDEO_GENERATIONS(
      "POST",
      "/v1/video/generations",
      Content.JSON,
      Urgency.SUBMISSION,
      IdempotencyPolicy.REQUIRED),
  MUSIC_GENERATIONS(
      "POST",
      "/v1/music/generations",
      Content.JSON,
      Urgency.SUBMISSION,
      IdempotencyPolicy.REQUIRED),
  VIDEO_JOB("GET", "/v1/video/generations/{id}", Content.NONE, Urgency.LOOKUP),
  MUSIC_JOB("GET", "/v1/music/generations/{id}", Content.NONE, Urgency.LOOKUP),
  JOB("GET", "/v1/jobs/{id}", Content.NONE, Urgency.LOOKUP),
  VIDEO_JOB_DELETION("DELETE", "/v1/video/generations/{id}", Content.NONE, Urgency.LOOKUP),
  MUSIC_JOB_DELETION("DELETE", "/v1/music/generations/{id}", Content.NONE, Urgency.LOOKUP),
  MODELS("GET", "/v1/models", Content.NONE, Urgency.LOOKUP),
  MODEL("GET", "/v1/models/{vendor}/{name}", Content.NONE, Urgency.LOOKUP),
  KEY("GET", "/v1/key", Content.NONE, Urgency.LOOKUP),
  CREDITS("GET", "/v1/credits", Content.NONE, Urgency.LOOKUP),
  /** This route needs no key, because the URL is signed; HEAD is allowed too. */
  ARTIFACT("GET", "/artifacts/{day}/{owner}/{file}", Content.NONE, Urgency.LOOKUP);

  /** Kind of body that a route accepts. */
  public enum Content {
    NONE,
    JSON,
    /** Form with a file in it. */
    MULTIPART,
    JSON_OR_MULTIPART
  }

  /**
   * Order in which an overloaded node refuses the requests of routes: the first constant is refused
   * first.
   */
  public enum Urgency {
    /**
     * The request is a query about models, jobs or the caller's own account, which can be repeated.
     */
    LOOKUP,
    /** The request submits a job that takes minutes anyway. */
    SUBMISSION,
    /** The request is work of programs without a waiting user: embeddings, speech, images. */
    BATCH,
    /** The request is from a user who waits for the reply. */
    INTERACTIVE;

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** Returns the name in metrics. */
    public String wire() {
      return wire;
    }
  }

  /** Treatment of the {@code Idempotency-Key} header on a route. */
  public enum IdempotencyPolicy {
    /** The header is ignored. */
    IGNORED,
    /** A request with the header is carried out once. */
    OPTIONAL,
    /** A request without the header is refused. */
    REQUIRED
  }

  private static final Endpoint[] ALL = values();
  private static final String ARTIFACT_PREFIX = "/artifacts/";
  private static final String MODEL_PREFIX = "/v1/models/";
  private static final String ID = "{id}";
  private static final String VERSION = "/v1/";
  private static final int HINT_CHARS_MAX = 256;

  private final String method;
  private final String path;
  private final Content content;
  private final Urgency urgency;
  private final IdempotencyPolicy idempotency;

  Endpoint(String method, String path, Content content, Urgency urgency) {
    this(method, path, content, urgency, IdempotencyPolicy.IGNORED);
  }

  Endpoint(
      String method, String path, Content content, Urgency urgency, IdempotencyPolicy idempotency) {
    this.method = method;
    this.path = path;
    this.content = content;
    this.urgency = urgency;
    this.idempotency = idempotency;
  }

  public String method() {
    return method;
  }

  /** Returns the documented path, which is also the label in metrics and logs. */
  public String path() {
    return path;
  }

  public Content content() {
    return content;
  }

  public Urgency urgency() {
    return urgency;
  }

  public IdempotencyPolicy idempotency() {
    return idempotency;
  }

  /** Returns the route of a request, or empty for 404 (docs/decisions/requests.md#routes). */
  public static Optional<Match> match(String method, String path) {
    for (Endpoint endpoint : ALL) {
      if (endpoint.method.equals(method) && endpoint.path.equals(path)) {
        return Optional.of(new Match(endpoint, ""));
      }
    }
    if (path.startsWith(ARTIFACT_PREFIX) && (method.equals("GET") || method.equals("HEAD"))) {
      return Optional.of(new Match(ARTIFACT, path.substring(ARTIFACT_PREFIX.length())));
    }
    if (method.equals("GET") && path.startsWith(MODEL_PREFIX)) {
      return modelArgument(path.substring(MODEL_PREFIX.length()))
          .map(argument -> new Match(MODEL, argument));
    }
    return jobArgument(method, path);
  }

  /**
   * Returns the route that a request without one probably means: behind {@code /v1} given twice or
   * not at all, without a slash at the end, or by another method.
   */
  public static Optional<Endpoint> near(String method, String path) {
    if (path.length() > HINT_CHARS_MAX) {
      return Optional.empty();
    }
    String likely = likelyPath(path);
    return Stream.of(method, "GET", "POST", "DELETE")
        .flatMap(tried -> match(tried, likely).stream())
        .map(Match::endpoint)
        .findFirst();
  }

  private static String likelyPath(String path) {
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '/') {
      end--;
    }
    int begin = 0;
    while (path.startsWith(VERSION, begin)) {
      begin += VERSION.length() - 1;
    }
    return VERSION + path.substring(Math.min(begin + 1, end), end);
  }

  /** Matches routes that end in a job id: everything after the last slash is the id. */
  private static Optional<Match> jobArgument(String method, String path) {
    int slash = path.lastIndexOf('/');
    if (slash == path.length() - 1) {
      return Optional.empty();
    }
    String pattern = path.substring(0, slash + 1) + ID;
    for (Endpoint endpoint : ALL) {
      if (endpoint.method.equals(method) && endpoint.path.equals(pattern)) {
        return Optional.of(new Match(endpoint, path.substring(slash + 1)));
      }
    }
    return Optional.empty();
  }

  // Some clients encode the slash between vendor and name, so %2F is accepted. Any other escape is
  // kept and matches no model.
  private static Optional<String> modelArgument(String rest) {
    String argument = rest.replace("%2F", "/").replace("%2f", "/");
    return argument.isEmpty() ? Optional.empty() : Optional.of(argument);
  }

  /**
   * Route that matches a request, with the variable part of its path.
   *
   * @param argument the variable part of the path: {@code vendor/name} for {@link #MODEL}, or a job
   *     id
   */
  public record Match(Endpoint endpoint, String argument) {}
}
