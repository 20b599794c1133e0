package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.tool.SchemaKeywords.Keyword;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.Param;

/**
 * Demands of a provider on the objects of a schema that cannot be met by leaving something out: a
 * schema that does not meet them is not sent.
 */
final class SchemaDemands {
  private static final Param SOMEWHERE = Param.of("schema");

  private final SchemaRules rules;

  private SchemaDemands(SchemaRules rules) {
    this.rules = rules;
  }

  /**
   * @param root the outermost schema
   * @param isObject true if it must be that of an object
   */
  static boolean areMet(SchemaKeywords root, boolean isObject, SchemaRules rules) {
    if (!rules.closesObjects() && !rules.needsRequired()) {
      return true;
    }
    return (!isObject || root.isObject()) && new SchemaDemands(rules).areMet(root);
  }

  private boolean areMet(SchemaKeywords schema) {
    boolean isMet =
        rules.closesObjects()
            ? !isOpen(schema)
            : !schema.hasChoices() && (!schema.isObject() || requiresSome(schema));
    return isMet && schema.all().stream().allMatch(this::areMet);
  }

  private boolean areMet(Keyword keyword) {
    if (SchemaReducer.VALUES.contains(keyword.name()) || rules.refuses(keyword.name())) {
      return true;
    }
    if (!SchemaReducer.NAMED.contains(keyword.name())) {
      return areMet(keyword.members(), keyword.i());
    }
    return keyword.kind() != JsonKind.OBJECT || areAllMet(keyword.object());
  }

  private boolean areAllMet(JsonItems schemas) {
    for (int k = 0; k < schemas.size(); k++) {
      if (!areMet(schemas, k)) {
        return false;
      }
    }
    return true;
  }

  private boolean areMet(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case OBJECT -> areMet(SchemaKeywords.of(items.object(i), rules, SOMEWHERE));
      case ARRAY -> areAllMet(items.array(i));
      case STRING, NUMBER, TRUE, FALSE, NULL -> true;
    };
  }

  /** True if an object may have any members: closed, it could have none. */
  private static boolean isOpen(SchemaKeywords schema) {
    if (schema.get(SchemaReducer.MORE, JsonKind.FALSE) != null) {
      return false;
    }
    boolean isNamed = schema.get("properties", JsonKind.OBJECT) != null;
    return schema.has(SchemaReducer.MORE)
        ? schema.properties().size() == 0
        : schema.isObject() && !isNamed;
  }

  private static boolean requiresSome(SchemaKeywords schema) {
    Keyword required = schema.get("required", JsonKind.ARRAY);
    return required != null && !SchemaKeywords.required(required.members()).isEmpty();
  }
}
