package dev.tollgate.core.dialect.tool;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * JSON schemas that a provider takes: which keywords it refuses, and what else it demands. Keywords
 * that are not named here are sent.
 */
public enum SchemaRules {
  /** Claude's schemas of answers and of strict tools, at any host. */
  CLAUDE(
      Set.of(
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf",
          "minLength",
          "maxLength",
          "maxItems",
          "uniqueItems",
          "contains",
          "minContains",
          "maxContains",
          "prefixItems",
          "additionalItems",
          "unevaluatedItems",
          "minProperties",
          "maxProperties",
          "patternProperties",
          "propertyNames",
          "unevaluatedProperties",
          "dependentRequired",
          "dependentSchemas",
          "dependencies",
          "not",
          "if",
          "then",
          "else"),
      Set.of(
          "date-time",
          "time",
          "date",
          "duration",
          "email",
          "hostname",
          "uri",
          "ipv4",
          "ipv6",
          "uuid"),
      "\\(\\?[^:]|\\\\[bB1-9]"),

  /** Cohere's schemas of answers and of strict tools. */
  COHERE(
      Set.of(
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf",
          "minLength",
          "maxLength",
          "minItems",
          "maxItems",
          "uniqueItems",
          "minProperties",
          "maxProperties",
          "patternProperties",
          "not"),
      Set.of("date-time", "uuid", "date", "time"),
      "[\\^$]|\\(\\?[=!]");

  @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
  private final Set<String> refused;

  @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
  private final Set<String> formats;

  @SuppressWarnings("ImmutableEnumChecker") // patterns are immutable
  private final Pattern unknownInPatterns;

  SchemaRules(Set<String> refused, Set<String> formats, String unknownInPatterns) {
    this.refused = refused;
    this.formats = formats;
    this.unknownInPatterns = Pattern.compile(unknownInPatterns);
  }

  /** True if a keyword is refused, whatever its value. */
  boolean refuses(String keyword) {
    return refused.contains(keyword);
  }

  /** True if the provider knows a format of texts. */
  boolean takesFormat(String format) {
    return formats.contains(format);
  }

  /** True if the provider understands a regular expression. */
  boolean takesPattern(String pattern) {
    return !unknownInPatterns.matcher(pattern).find();
  }

  /** Returns the highest least number of items that a list may be required to have. */
  int itemsAtLeast() {
    return this == CLAUDE ? 1 : 0;
  }

  /** True if no object may have members that its schema does not name. */
  boolean closesObjects() {
    return this == CLAUDE;
  }
}
