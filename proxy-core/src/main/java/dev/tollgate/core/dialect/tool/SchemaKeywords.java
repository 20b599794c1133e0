package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keywords of one JSON schema. Where a provider takes no choices of schemas, the keywords of the
 * only schema that there is to choose stand among those of the schema around it; null is no choice.
 */
final class SchemaKeywords {
  private static final List<String> CHOICES = List.of("anyOf", "oneOf", "allOf");

  /** Keywords that the schema around overrules without a loss. */
  private static final Set<String> REMARKS =
      Set.of("title", "description", "default", "examples", "$schema", "$id", "$comment");

  /** References that are followed from the outermost schema, one behind the other. */
  private static final int REFERENCES_MAX = 8;

  private final SchemaRules rules;
  private final Map<String, Keyword> all = new LinkedHashMap<>();
  private final List<Param> weakened = new ArrayList<>(0);

  /** Keyword as a member of the schema that it stands in. */
  record Keyword(String name, JsonMembers members, int i, Param at) {
    JsonKind kind() {
      return members.kind(i);
    }

    String string() {
      return members.string(i);
    }

    JsonMembers object() {
      return members.object(i);
    }

    JsonElements array() {
      return members.array(i);
    }

    long integer(long otherwise) {
      return members.integer(i, otherwise);
    }

    int sizeBytes() {
      return members.valueEnd(i) - members.valueStart(i);
    }

    JsonBytes value() {
      return JsonBytes.of(members, i);
    }
  }

  private SchemaKeywords(SchemaRules rules) {
    this.rules = rules;
  }

  static SchemaKeywords of(JsonMembers schema, SchemaRules rules, Param path) {
    var keywords = new SchemaKeywords(rules);
    keywords.add(schema, path);
    return keywords;
  }

  /** Returns the keywords of the outermost schema, which do not refer to another schema. */
  static SchemaKeywords ofRoot(
      JsonMembers schema, SchemaRules rules, Param path, SchemaReferences references) {
    SchemaKeywords keywords = of(schema, rules, path);
    for (int k = 0; k < REFERENCES_MAX; k++) {
      Keyword reference = keywords.get("$ref", JsonKind.STRING);
      JsonMembers target = reference == null ? null : references.target(reference.string());
      if (reference == null || target == null) {
        return keywords;
      }
      keywords.all.remove("$ref");
      keywords.add(target, SchemaReferences.path(path, reference.string()));
    }
    return keywords;
  }

  /**
   * Puts the keywords of a small schema in place of a reference to it that has a description, which
   * would have to go where a reference stands alone.
   *
   * @param root path of the outermost schema
   */
  void inline(SchemaReferences references, Param root) {
    Keyword reference = get("$ref", JsonKind.STRING);
    if (reference == null || get("description", JsonKind.STRING) == null) {
      return;
    }
    JsonMembers target = references.inlined(reference.string());
    if (target != null && !overrules(target)) {
      all.remove("$ref");
      add(target, SchemaReferences.path(root, reference.string()));
    }
  }

  /** True if keywords with a meaning stand in both schemas. */
  private boolean overrules(JsonMembers schema) {
    for (int i = 0; i < schema.size(); i++) {
      if (all.containsKey(schema.name(i)) && !REMARKS.contains(schema.name(i))) {
        return true;
      }
    }
    return false;
  }

  private void add(JsonMembers schema, Param path) {
    for (int i = 0; i < schema.size(); i++) {
      String name = schema.name(i);
      all.putIfAbsent(name, new Keyword(name, schema, i, path.dot(name)));
    }
    for (String choice : CHOICES) {
      Keyword choices = get(choice, JsonKind.ARRAY);
      if (choices != null && rules.takesOnlyChoice(choice)) {
        addOnly(choices);
      }
    }
  }

  private void addOnly(Keyword choices) {
    JsonElements schemas = choices.array();
    int only = only(schemas);
    if (only < 0 || (schemas.size() > 1 && choices.name().equals("allOf"))) {
      return;
    }
    JsonMembers schema = schemas.object(only);
    if (overrules(schema)) {
      return;
    }
    all.remove(choices.name());
    if (schemas.size() > 1) {
      weakened.add(choices.at());
      if (get("default", JsonKind.NULL) != null) {
        all.remove("default");
      }
    }
    add(schema, choices.at().at(only));
  }

  /** Returns the index of the only schema that is not null's; -1 means there are more, or none. */
  private static int only(JsonElements schemas) {
    int only = -1;
    for (int k = 0; k < schemas.size(); k++) {
      if (schemas.kind(k) != JsonKind.OBJECT) {
        return -1;
      }
      if (JsonReads.isString(schemas.object(k), "type", "null")) {
        continue;
      }
      if (only >= 0) {
        return -1;
      }
      only = k;
    }
    return only;
  }

  Collection<Keyword> all() {
    return all.values();
  }

  /** Returns the choices of which null went. */
  List<Param> weakened() {
    return weakened;
  }

  boolean has(String name) {
    return all.containsKey(name);
  }

  @Nullable Keyword get(String name, JsonKind kind) {
    Keyword keyword = all.get(name);
    return keyword != null && keyword.kind() == kind ? keyword : null;
  }

  boolean hasChoices() {
    return CHOICES.stream().anyMatch(all::containsKey);
  }

  /** Returns the properties; empty if there are none. */
  JsonMembers properties() {
    Keyword properties = get("properties", JsonKind.OBJECT);
    return properties == null ? new JsonMembers() : properties.object();
  }

  /** Returns the names of the properties that a schema requires. */
  static Set<String> required(JsonMembers schema) {
    JsonElements names = JsonReads.array(schema, "required");
    Set<String> required = new HashSet<>();
    for (int k = 0; k < names.size(); k++) {
      if (names.kind(k) == JsonKind.STRING) {
        required.add(names.string(k));
      }
    }
    return required;
  }

  /** True if the values are objects, or may be. */
  boolean isObject() {
    Keyword text = get("type", JsonKind.STRING);
    if (text != null && text.sizeBytes() > 2) {
      return text.string().equalsIgnoreCase("object");
    }
    Keyword list = get("type", JsonKind.ARRAY);
    if (list == null || list.array().size() == 0) {
      return has("properties");
    }
    JsonElements types = list.array();
    for (int k = 0; k < types.size(); k++) {
      if (types.kind(k) == JsonKind.STRING && types.string(k).equalsIgnoreCase("object")) {
        return true;
      }
    }
    return false;
  }
}
