package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.Arrays;
import java.util.List;

/** Translator of a Responses API request's tools to chat tools; only functions are supported. */
final class ResponsesTools {
  private static final Param PARAM = Param.of("tools");
  private static final JsonBytes NONE = JsonBytes.raw("[]");
  private static final List<String> DEFINITION =
      List.of("name", "description", "parameters", "strict");

  private final Issues issues;
  private final JsonWriter out;

  ResponsesTools(Issues issues, JsonWriter out) {
    this.issues = issues;
    this.out = out;
  }

  /** Returns the tools of a valid request on one line, as events need them. */
  static JsonBytes onOneLine(JsonMembers root) {
    int i = root.indexOf("tools");
    if (i < 0 || root.kind(i) == JsonKind.NULL) {
      return NONE;
    }
    byte[] line = Arrays.copyOfRange(root.bytes(), root.valueStart(i), root.valueEnd(i));
    for (int at = 0; at < line.length; at++) {
      boolean breaks = line[at] == '\n' || line[at] == '\r'; // always white space in valid JSON
      line[at] = breaks ? (byte) ' ' : line[at];
    }
    return JsonBytes.raw(line);
  }

  /** Writes the member, unless there are no tools. */
  void write(JsonMembers root) {
    int i = root.indexOf("tools");
    if (i < 0 || root.kind(i) == JsonKind.NULL) {
      return;
    }
    if (root.kind(i) != JsonKind.ARRAY) {
      issues.add(PARAM, "must be an array");
      return;
    }
    JsonElements tools = root.array(i);
    if (tools.size() == 0 || issues.addIfCut(tools, PARAM)) {
      return;
    }
    out.name("tools").beginArray();
    for (int k = 0; k < tools.size() && !issues.isFull(); k++) {
      if (tools.kind(k) == JsonKind.OBJECT) {
        tool(tools.object(k), PARAM.at(k));
      } else {
        issues.add(PARAM.at(k), "must be an object");
      }
    }
    out.endArray();
  }

  private void tool(JsonMembers tool, Param param) {
    if (issues.addIfCut(tool, param)) {
      return;
    }
    int type = tool.indexOf("type");
    if (type < 0 || !tool.isString(type, "function")) {
      issues.add(param.dot("type"), "must be function: there are no built-in tools");
      return;
    }
    int name = tool.indexOf("name");
    if (name < 0 || tool.kind(name) != JsonKind.STRING || tool.isEmptyString(name)) {
      issues.add(param.dot("name"), "must be a non-empty string");
      return;
    }
    out.beginObject().name("type").string("function").name("function").beginObject();
    for (String member : DEFINITION) {
      if (RequestRoot.isGiven(tool, member)) {
        out.name(member).raw(JsonBytes.of(tool, tool.indexOf(member)));
      }
    }
    out.endObject().endObject();
  }
}
