package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Mapping of the finish reasons that providers send to the ones that SDKs know. */
public final class FinishReason {
  private static final Set<String> KNOWN =
      Set.of("stop", "length", "tool_calls", "content_filter", "function_call");
  private static final Set<String> FAILED =
      Set.of("error", "ERROR", "network_error", "abort", "insufficient_system_resource");
  private static final JsonBytes TOOL_CALLS = JsonBytes.string("tool_calls");
  private static final JsonBytes LENGTH = JsonBytes.string("length");
  private static final JsonBytes CONTENT_FILTER = JsonBytes.string("content_filter");

  public static final JsonBytes STOP = JsonBytes.string("stop");

  private static final Map<String, JsonBytes> TRANSLATED =
      Map.ofEntries(
          Map.entry("tool_call", TOOL_CALLS),
          Map.entry("tool_use", TOOL_CALLS),
          Map.entry("TOOL_CALL", TOOL_CALLS),
          Map.entry("max_tokens", LENGTH),
          Map.entry("MAX_TOKENS", LENGTH),
          Map.entry("model_length", LENGTH),
          Map.entry("model_context_window_exceeded", LENGTH),
          Map.entry("refusal", CONTENT_FILTER),
          Map.entry("sensitive", CONTENT_FILTER),
          Map.entry("content_filtered", CONTENT_FILTER),
          Map.entry("guardrail_intervened", CONTENT_FILTER),
          Map.entry("SAFETY", CONTENT_FILTER),
          Map.entry("IMAGE_SAFETY", CONTENT_FILTER),
          Map.entry("RECITATION", CONTENT_FILTER),
          Map.entry("PROHIBITED_CONTENT", CONTENT_FILTER),
          Map.entry("BLOCKLIST", CONTENT_FILTER),
          Map.entry("SPII", CONTENT_FILTER),
          Map.entry("MODEL_ARMOR", CONTENT_FILTER));

  private FinishReason() {}

  /** True if the value finishes the choice; some providers send "" until then. */
  public static boolean finishes(JsonItems choice, int i) {
    return switch (choice.kind(i)) {
      case STRING -> !choice.isEmptyString(i) && !choice.isString(i, "null");
      case NUMBER -> true;
      case NULL, TRUE, FALSE, OBJECT, ARRAY -> false;
    };
  }

  /** Returns the replacement of a finish reason; null if the value can stay. */
  static @Nullable public JsonBytes replacement(JsonItems choice, int i) {
    return switch (choice.kind(i)) {
      case STRING -> replacement(choice.string(i));
      case NUMBER, NULL, TRUE, FALSE, OBJECT, ARRAY -> STOP;
    };
  }

  private static @Nullable JsonBytes replacement(String reason) {
    return KNOWN.contains(reason) ? null : TRANSLATED.getOrDefault(reason, STOP);
  }

  /** Returns the part of the reply that is missing after this finish reason. */
  public static IncompleteReason incomplete(JsonItems choice, int i) {
    JsonBytes other = replacement(choice, i);
    String reason = (other == null ? JsonBytes.string(choice.string(i)) : other).toString();
    if (reason.equals(LENGTH.toString())) {
      return IncompleteReason.OUTPUT_TOKENS;
    }
    return reason.equals(CONTENT_FILTER.toString())
        ? IncompleteReason.FILTERED
        : IncompleteReason.NONE;
  }

  /** True if the finish reason is a failure of the provider. */
  public static boolean isFailure(JsonItems choice, int i) {
    return switch (choice.kind(i)) {
      case STRING -> FAILED.contains(choice.string(i));
      case NUMBER, NULL, TRUE, FALSE, OBJECT, ARRAY -> false;
    };
  }
}
