package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.tool.SchemaKeywords.Keyword;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.Set;

/** Filter of the keywords of a JSON schema that a provider refuses, by value and place. */
final class SchemaFilter {
  private static final String DEFINITIONS = "#/definitions/";

  /** Keywords without meaning for an answer. */
  private static final Set<String> REMARKS = Set.of("$schema", "$id", "$comment", "examples");

  private final SchemaRules rules;
  private final SchemaReferences references;

  /** True if the definitions get the keyword that the provider knows. */
  private final boolean renamesDefinitions;

  SchemaFilter(SchemaRules rules, SchemaReferences references) {
    this.rules = rules;
    this.references = references;
    JsonMembers root = references.root();
    this.renamesDefinitions =
        rules.refuses("definitions")
            && JsonReads.find(root, "definitions", JsonKind.OBJECT) >= 0
            && root.indexOf("$defs") < 0;
  }

  /** True if a schema is a reference beside which nothing else may stand. */
  boolean isReference(SchemaKeywords schema) {
    Keyword reference = schema.get("$ref", JsonKind.STRING);
    return rules.refersAlone() && reference != null && leadsSomewhere(reference.string());
  }

  private boolean leadsSomewhere(String reference) {
    boolean isLeftOut =
        reference.startsWith(DEFINITIONS) && rules.refuses("definitions") && !renamesDefinitions;
    return !isLeftOut && references.leadsSomewhere(reference);
  }

  /** Returns a reference to where definitions are sent. */
  String renamed(String reference) {
    return renamesDefinitions && reference.startsWith(DEFINITIONS)
        ? "#/$defs/" + reference.substring(DEFINITIONS.length())
        : reference;
  }

  /** True if a keyword is the definitions, which get another keyword. */
  boolean isRenamed(Keyword keyword) {
    return renamesDefinitions
        && keyword.name().equals("definitions")
        && keyword.members() == references.root();
  }

  boolean isLeftOut(SchemaKeywords schema, Keyword keyword) {
    boolean isSaid = keyword.name().equals("enum") && !rules.knowsConst() && isSaid(schema);
    return isSaid || REMARKS.contains(keyword.name()) || isRefused(schema, keyword);
  }

  /** True if a constant is sent as the only value. */
  private static boolean isSaid(SchemaKeywords schema) {
    return schema.get("const", JsonKind.STRING) != null
        || schema.get("const", JsonKind.NUMBER) != null;
  }

  /** True if a keyword changes no answer, so that it is left out and not named. */
  static boolean isSilent(Keyword keyword, boolean isReference) {
    return switch (keyword.name()) {
      case SchemaReducer.MORE -> keyword.kind() == JsonKind.FALSE;
      case "default" -> keyword.kind() == JsonKind.NULL;
      case "title" -> isReference;
      default -> REMARKS.contains(keyword.name());
    };
  }

  boolean isRefused(SchemaKeywords schema, Keyword keyword) {
    String name = keyword.name();
    if (isReference(schema)) {
      return !name.startsWith("$") && !isRenamed(keyword);
    }
    return switch (name) {
      case SchemaReducer.MORE ->
          !rules.opensObjects() && !(rules.closesObjects() && keyword.kind() == JsonKind.FALSE);
      case "minItems" -> rules.refuses(name) || keyword.integer(2) > rules.itemsAtLeast();
      case "format" -> keyword.kind() == JsonKind.STRING && !rules.takesFormat(keyword.string());
      case "pattern" ->
          rules.refuses(name)
              || (keyword.kind() == JsonKind.STRING && !rules.takesPattern(keyword.string()));
      case "enum" -> keyword.kind() == JsonKind.ARRAY && !areTaken(keyword.array());
      case "const" -> !rules.knowsConst() && !isTextOrNumber(keyword.kind());
      case "items" -> keyword.kind() == JsonKind.ARRAY;
      case "$ref" -> rules.refersAlone(); // it leads nowhere
      default -> rules.refuses(name) && !isRenamed(keyword);
    };
  }

  private boolean areTaken(JsonElements values) {
    for (int k = 0; k < values.size(); k++) {
      boolean isTaken =
          switch (values.kind(k)) {
            case STRING, NUMBER -> true;
            case TRUE, FALSE, NULL -> rules.knowsConst();
            case OBJECT, ARRAY -> false;
          };
      if (!isTaken) {
        return false;
      }
    }
    return true;
  }

  private static boolean isTextOrNumber(JsonKind kind) {
    return kind == JsonKind.STRING || kind == JsonKind.NUMBER;
  }
}
