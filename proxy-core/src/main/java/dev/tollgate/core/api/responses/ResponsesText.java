package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Translator of a Responses API request's {@code text.format} to a chat's response format. */
final class ResponsesText {
  private static final Param PARAM = Param.of("text");
  private static final Param FORMAT = PARAM.dot("format");
  private static final List<String> OF_SCHEMAS = List.of("name", "description", "schema", "strict");

  private final Issues issues;
  private final JsonWriter out;

  ResponsesText(Issues issues, JsonWriter out) {
    this.issues = issues;
    this.out = out;
  }

  /** Writes the member, unless plain text is asked for. */
  void write(JsonMembers root) {
    if (!RequestRoot.isGiven(root, "text")) {
      return;
    }
    JsonMembers text = object(root, "text", PARAM);
    if (text != null && RequestRoot.isGiven(text, "format")) {
      JsonMembers format = object(text, "format", FORMAT);
      if (format != null) {
        format(format);
      }
    }
  }

  /** Returns the names of the members that are not translated. */
  static List<String> unread(JsonMembers root) {
    int at = root.indexOf("text");
    if (at < 0 || root.kind(at) != JsonKind.OBJECT) {
      return List.of();
    }
    List<String> names = new ArrayList<>(0);
    JsonMembers text = root.object(at);
    for (int i = 0; i < text.size(); i++) {
      if (!text.isName(i, "format") && AdaptedChat.hasEffect(text, i, text.name(i))) {
        names.add("text." + text.name(i));
      }
    }
    return names;
  }

  private @Nullable JsonMembers object(JsonMembers of, String name, Param param) {
    int i = of.indexOf(name);
    if (of.kind(i) != JsonKind.OBJECT) {
      issues.add(param, "must be an object");
      return null;
    }
    JsonMembers object = of.object(i);
    return issues.addIfCut(object, param) ? null : object;
  }

  private void format(JsonMembers format) {
    int type = format.indexOf("type");
    if (type >= 0 && format.isString(type, "json_schema")) {
      out.name("response_format").beginObject().name("type").string("json_schema");
      schema(format, out.name("json_schema").beginObject());
      out.endObject().endObject();
    } else if (type >= 0 && format.isString(type, "json_object")) {
      out.name("response_format").beginObject().name("type").string("json_object").endObject();
    } else if (type < 0 || !format.isString(type, "text")) {
      issues.add(FORMAT.dot("type"), "must be text, json_object or json_schema");
    }
  }

  private static void schema(JsonMembers format, JsonWriter to) {
    for (String member : OF_SCHEMAS) {
      if (RequestRoot.isGiven(format, member)) {
        to.name(member).raw(JsonBytes.of(format, format.indexOf(member)));
      }
    }
  }
}
