package dev.tollgate.core.api.responses;

import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converter of a chat's usage to the usage object of the Responses API, with the charge. */
final class ResponsesUsageJson {
  private ResponsesUsageJson() {}

  /**
   * @param reported the provider's object, in a chat's terms; null for an estimate
   */
  static Map<String, Object> of(Usage charged, MicroUsd cost, byte @Nullable [] reported) {
    Map<String, Object> usage = new LinkedHashMap<>();
    usage.put("input_tokens", charged.promptTokens());
    usage.put("input_tokens_details", input(charged));
    usage.put("output_tokens", charged.completionTokens());
    usage.put("output_tokens_details", Map.of("reasoning_tokens", charged.reasoningTokens()));
    usage.put("total_tokens", total(charged, reported));
    usage.put("x_llm_cost_micro", cost.value());
    if (charged.estimated()) {
      usage.put("x_llm_usage_estimated", true);
    }
    return usage;
  }

  private static Map<String, Object> input(Usage charged) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("cached_tokens", charged.cachedTokens());
    details.put("cache_write_tokens", charged.cacheWriteTokens()); // SDKs with types want it
    return details;
  }

  /** Returns the provider's own total, whatever it counts, or the sum. */
  private static long total(Usage charged, byte @Nullable [] reported) {
    if (reported == null) {
      return charged.totalTokens();
    }
    JsonMembers object = JsonMembers.ofKept(reported);
    int i = object.indexOf("total_tokens");
    long total = i < 0 ? -1 : object.integer(i, -1);
    return total < 0 ? charged.totalTokens() : total;
  }
}
