package dev.tollgate.core.api.responses;

import dev.tollgate.core.http.Headers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Set of event types that a client gets in a stream of the Responses API
 * (docs/decisions/responses.md#events).
 */
public enum ResponseEventSet {
  /**
   * The stream has the events created, text delta and completed, which suffice for simple clients.
   */
  LISTED,
  /** The stream has OpenAI's events about items, parts and arguments, in OpenAI's order. */
  EXTENDED;

  private static final String AI_SDK = "ai-sdk/";
  private static final String AI_SDK_7 = "ai-sdk-provider-utils/"; // beside ai-sdk-openai/
  private static final String CODEX = "codex";

  /** Returns the set that a client needs, whose software its request's headers tell. */
  public static ResponseEventSet neededBy(Headers headers) {
    if (headers.has("x-stainless-lang") || isCodex(headers.first("originator"))) {
      return EXTENDED;
    }
    String agent = headers.first("user-agent");
    return agent != null && (isAiSdk(agent) || isCodex(agent)) ? EXTENDED : LISTED;
  }

  private static boolean isAiSdk(String agent) {
    return agent.contains(AI_SDK) || agent.contains(AI_SDK_7);
  }

  private static boolean isCodex(@Nullable String name) {
    return name != null && name.toLowerCase(Locale.ROOT).startsWith(CODEX);
  }
}
