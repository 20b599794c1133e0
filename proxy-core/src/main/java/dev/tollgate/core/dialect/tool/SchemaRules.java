package dev.tollgate.core.dialect.tool;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * JSON schemas that a provider takes: which keywords it refuses, or which it knows, and what else
 * it demands.
 */
public enum SchemaRules {
  /** Claude's schemas of answers and of strict tools, at any host. */
  CLAUDE(
      false,
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
      false,
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
      "[\\^$]|\\(\\?[=!]"),

  /** Gemini's schemas of answers and of all tools. */
  GEMINI(
      true,
      Set.of(
          "$defs",
          "$ref",
          "$anchor",
          "type",
          "format",
          "title",
          "description",
          "enum",
          "const",
          "items",
          "prefixItems",
          "minItems",
          "maxItems",
          "minimum",
          "maximum",
          "anyOf",
          "oneOf",
          "properties",
          "additionalProperties",
          "required",
          "propertyOrdering"),
      Set.of(),
      "");

  private final boolean areKnown;

  @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
  private final Set<String> keywords;

  @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
  private final Set<String> formats;

  @SuppressWarnings("ImmutableEnumChecker") // patterns are immutable
  private final Pattern unknownInPatterns;

  /**
   * @param areKnown true if all other keywords than these are refused, false if these are
   * @param formats of texts; empty: all are taken
   */
  SchemaRules(
      boolean areKnown, Set<String> keywords, Set<String> formats, String unknownInPatterns) {
    this.areKnown = areKnown;
    this.keywords = keywords;
    this.formats = formats;
    this.unknownInPatterns = Pattern.compile(unknownInPatterns);
  }

  /** True if a keyword is refused, whatever its value. */
  boolean refuses(String keyword) {
    return keywords.contains(keyword) != areKnown;
  }

  /** True if the provider knows a format of texts. */
  boolean takesFormat(String format) {
    return formats.isEmpty() || formats.contains(format);
  }

  /** True if the provider understands a regular expression. */
  boolean takesPattern(String pattern) {
    return !unknownInPatterns.matcher(pattern).find();
  }

  /** Returns the highest least number of items that a list may be required to have. */
  long itemsAtLeast() {
    return switch (this) {
      case CLAUDE -> 1;
      case COHERE -> 0;
      case GEMINI -> Long.MAX_VALUE;
    };
  }

  /** True if no object may have members that its schema does not name. */
  boolean closesObjects() {
    return this == CLAUDE;
  }

  /** True if an object may have members that its schema does not name. */
  boolean opensObjects() {
    return this == GEMINI;
  }

  /** True if every object, and the outermost schema is one, must require a property. */
  boolean needsRequired() {
    return this == COHERE;
  }

  /** True if of schemas to choose from no more than one is taken, in place of the choice. */
  boolean takesOnlyChoice(String choice) {
    return switch (this) {
      case CLAUDE -> false;
      case COHERE -> true;
      case GEMINI -> choice.equals("allOf");
    };
  }

  /** True if {@code const} is known, and values that are neither texts nor numbers. */
  boolean knowsConst() {
    return this != GEMINI;
  }

  /** True if {@code oneOf} is known. */
  boolean knowsOneOf() {
    return this == GEMINI;
  }

  /** True if a reference stands alone, and may lead in a cycle that an optional property closes. */
  boolean refersAlone() {
    return this == GEMINI;
  }
}
