package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Maps providers' finish reasons to the ones that SDKs know (wire FACTS 1.6). */
final class FinishReason {
  private static final Set<String> KNOWN =
      Set.of("stop", "length", "tool_calls", "content_filter", "function_call");
  private static final Set<String> FAILED = Set.of("error", "network_error");
  private static final Map<String, JsonBytes> TRANSLATED =
      Map.of(
          "tool_call", JsonBytes.string("tool_calls"),
          "tool_use", JsonBytes.string("tool_calls"),
          "max_tokens", JsonBytes.string("length"),
          "MAX_TOKENS", JsonBytes.string("length"),
          "model_length", JsonBytes.string("length"),
          "SAFETY", JsonBytes.string("content_filter"));
  static final JsonBytes STOP = JsonBytes.string("stop");

  private FinishReason() {}

  /** What to put in the place of the value, or null where it may stay. */
  static @Nullable JsonBytes replacement(JsonItems choice, int i) {
    String reason = choice.string(i);
    return KNOWN.contains(reason) ? null : TRANSLATED.getOrDefault(reason, STOP);
  }

  /** Whether the provider says by its reason that it failed. */
  static boolean isFailure(JsonItems choice, int i) {
    return FAILED.contains(choice.string(i));
  }
}
