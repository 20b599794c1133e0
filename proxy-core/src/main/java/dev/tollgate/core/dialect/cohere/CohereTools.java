package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ToolChoice;
import dev.tollgate.core.dialect.tool.SchemaReducer;
import dev.tollgate.core.dialect.tool.SchemaRules;
import dev.tollgate.core.dialect.tool.ToolSchema;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Writes the tools of a chat request in Cohere's form. The model is held to the schemas of all
 * tools or of none: of all where one is strict and Cohere takes the schema of each.
 */
final class CohereTools {
  private static final JsonBytes NO_ARGUMENTS =
      JsonBytes.raw("{\"type\":\"object\",\"properties\":{}}");

  private final DroppedFields dropped;
  private final List<Tool> tools = new ArrayList<>();

  private record Tool(JsonMembers function, Param path) {
    JsonMembers schema() {
      return JsonReads.object(function, "parameters");
    }

    boolean isStrict() {
      return JsonReads.find(function, "strict", JsonKind.TRUE) >= 0;
    }
  }

  CohereTools(JsonMembers chat, ToolChoice choice, DroppedFields dropped) {
    this.dropped = dropped;
    JsonElements all = JsonReads.array(chat, "tools");
    for (int k = 0; k < all.size(); k++) {
      Param path = Param.of("tools").at(k);
      int function = JsonReads.find(all.object(k), "function", JsonKind.OBJECT);
      if (function < 0) {
        dropped.add(path); // tools there take no free text
      } else if (choice.offers(all.object(k).object(function))) {
        tools.add(new Tool(all.object(k).object(function), path.dot("function")));
      }
    }
  }

  /** Returns false if there is no tool to write. */
  boolean writeTo(JsonWriter out) {
    if (tools.isEmpty()) {
      return false;
    }
    List<JsonBytes> strict = strict();
    out.name("tools").beginArray();
    for (int k = 0; k < tools.size(); k++) {
      tool(tools.get(k), strict.isEmpty() ? Optional.empty() : Optional.of(strict.get(k)), out);
    }
    out.endArray();
    if (!strict.isEmpty()) {
      out.name("strict_tools").bool(true);
    }
    return true;
  }

  /**
   * Returns the reduced schemas of all tools, and names what went; none, and the strict tools are
   * named, if Cohere does not take one of them.
   */
  private List<JsonBytes> strict() {
    if (tools.stream().noneMatch(Tool::isStrict)) {
      return List.of();
    }
    List<JsonBytes> reduced = new ArrayList<>();
    var reductions = new DroppedFields();
    for (Tool tool : tools) {
      SchemaReducer.ofTool(
              tool.schema(), SchemaRules.COHERE, tool.path().dot("parameters"), reductions)
          .ifPresent(reduced::add);
    }
    if (reduced.size() == tools.size()) {
      dropped.addAll(reductions.paths(), UnaryOperator.identity());
      return reduced;
    }
    tools.stream()
        .filter(Tool::isStrict)
        .forEachOrdered(tool -> dropped.add(tool.path().dot("strict")));
    return List.of();
  }

  private void tool(Tool tool, Optional<JsonBytes> strict, JsonWriter out) {
    out.beginObject().name("type").string("function").name("function").beginObject();
    for (String name : new String[] {"name", "description"}) {
      int i = JsonReads.find(tool.function(), name);
      if (i >= 0) {
        out.name(name).raw(JsonBytes.of(tool.function(), i));
      }
    }
    out.name("parameters");
    JsonMembers schema = tool.schema();
    if (strict.isPresent()) {
      out.raw(strict.get());
    } else if (schema.size() == 0) {
      out.raw(NO_ARGUMENTS);
    } else {
      ToolSchema.write(schema, tool.path().dot("parameters"), dropped, out);
    }
    out.endObject().endObject();
  }
}
