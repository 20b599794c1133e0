package dev.tollgate.mock.demo;

import dev.tollgate.core.json.JsonMembers;

/** A string that a JSON schema accepts, in the known formats and of an allowed length. */
final class StringSample {
  private static final int LENGTH_MAX = 10_000;

  private StringSample() {}

  static String of(String format, String name, JsonMembers schema) {
    return switch (format) {
      case "date-time" -> "2026-01-01T12:00:00Z";
      case "date" -> "2026-01-01";
      case "time" -> "12:00:00Z";
      case "duration" -> "PT1H";
      case "email" -> "demo@example.com";
      case "hostname" -> "example.com";
      case "ipv4" -> "192.0.2.1";
      case "ipv6" -> "2001:db8::1";
      case "uri" -> "https://example.com/";
      case "uuid" -> "00000000-0000-4000-8000-000000000000";
      default -> sized("demo " + name, schema);
    };
  }

  private static String sized(String text, JsonMembers schema) {
    int length = text.codePointCount(0, text.length());
    int least = Math.min(SchemaSample.integer(schema, "minLength", 0), LENGTH_MAX);
    int most = SchemaSample.integer(schema, "maxLength", LENGTH_MAX);
    String padded = text + ".".repeat(Math.max(0, least - length));
    boolean isLong = padded.codePointCount(0, padded.length()) > most;
    return isLong ? padded.substring(0, padded.offsetByCodePoints(0, most)) : padded;
  }
}
