package dev.tollgate.core.endpoint;

import java.util.Optional;

/** Every route of the API listener: the one table that requests are matched against. */
public enum Endpoint {
  CHAT_COMPLETIONS("POST", "/v1/chat/completions", Content.JSON),
  MODELS("GET", "/v1/models", Content.NONE),
  MODEL("GET", "/v1/models/{vendor}/{name}", Content.NONE),
  KEY("GET", "/v1/key", Content.NONE),
  CREDITS("GET", "/v1/credits", Content.NONE);

  /** What a request to a route carries. */
  public enum Content {
    NONE,
    JSON
  }

  private static final String MODEL_PREFIX = "/v1/models/";

  private final String method;
  private final String path;
  private final Content content;

  Endpoint(String method, String path, Content content) {
    this.method = method;
    this.path = path;
    this.content = content;
  }

  public String method() {
    return method;
  }

  /** The path as documented; also the label in metrics and logs. */
  public String path() {
    return path;
  }

  public Content content() {
    return content;
  }

  /** The route of a request, or empty: 404 (DECISIONS 1). */
  public static Optional<Match> match(String method, String path) {
    for (Endpoint endpoint : values()) {
      if (endpoint.method.equals(method) && endpoint.path.equals(path)) {
        return Optional.of(new Match(endpoint, ""));
      }
    }
    if (method.equals("GET") && path.startsWith(MODEL_PREFIX)) {
      return modelArgument(path.substring(MODEL_PREFIX.length()))
          .map(argument -> new Match(MODEL, argument));
    }
    return Optional.empty();
  }

  // %2F between vendor and name is accepted (DECISIONS 4); any other escape stays as it is, so it
  // names no model.
  private static Optional<String> modelArgument(String rest) {
    String argument = rest.replace("%2F", "/").replace("%2f", "/");
    return argument.isEmpty() ? Optional.empty() : Optional.of(argument);
  }

  /**
   * A matched route.
   *
   * @param argument the variable part of the path: {@code vendor/name} for {@link #MODEL}
   */
  public record Match(Endpoint endpoint, String argument) {}
}
