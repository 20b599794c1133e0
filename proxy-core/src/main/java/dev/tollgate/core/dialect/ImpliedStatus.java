package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Derives the HTTP status of an error object that a provider sent inside a response with status
 * 200.
 */
final class ImpliedStatus {
  private static final List<String> NUMBERS = List.of("status", "status_code", "code");

  /** Statuses by words of codes and types; the first word that is contained counts. */
  private static final List<Map.Entry<String, Integer>> WORDS =
      List.of(
          Map.entry("insufficient_quota", 402),
          Map.entry("rate_limit", 429),
          Map.entry("ratelimit", 429),
          Map.entry("too_many_requests", 429),
          Map.entry("resource_exhausted", 429),
          Map.entry("context_length", 400),
          Map.entry("content_filter", 400),
          Map.entry("api_key", 401),
          Map.entry("authentication", 401),
          Map.entry("permission", 403),
          Map.entry("not_found", 404),
          Map.entry("overloaded", 503),
          Map.entry("unavailable", 503),
          Map.entry("server_error", 503),
          Map.entry("internal", 500),
          Map.entry("api_error", 500),
          Map.entry("timeout", 504),
          Map.entry("invalid", 400));

  private ImpliedStatus() {}

  /** Returns a status of 400 to 599; 0 means the object states none. */
  static int of(JsonMembers error, @Nullable String code, @Nullable String type) {
    for (String name : NUMBERS) {
      int i = error.indexOf(name);
      long value = i < 0 ? 0 : number(error, i);
      if (value >= 400 && value < 600) {
        return (int) value;
      }
    }
    return ofWords(code + " " + type);
  }

  private static long number(JsonItems items, int i) {
    if (items.kind(i) != JsonKind.STRING) {
      return items.integer(i, 0);
    }
    String text = items.string(i);
    return text.length() == 3 && text.chars().allMatch(c -> c >= '0' && c <= '9')
        ? Integer.parseInt(text)
        : 0;
  }

  private static int ofWords(String text) {
    String words = text.toLowerCase(Locale.ROOT);
    return WORDS.stream()
        .filter(entry -> words.contains(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(0);
  }
}
