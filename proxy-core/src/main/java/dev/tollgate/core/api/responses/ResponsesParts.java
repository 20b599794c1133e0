package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.List;

/**
 * Translator of the content parts in a Responses API message or tool output to the content of a
 * chat message.
 */
final class ResponsesParts {
  private static final List<String> OF_FILES = List.of("file_data", "filename", "file_id");

  private final Issues issues;
  private final JsonWriter out;

  ResponsesParts(Issues issues, JsonWriter out) {
    this.issues = issues;
    this.out = out;
  }

  /** Writes the member {@code content}. */
  void content(JsonMembers item, String name, Param param) {
    out.name("content");
    int i = item.indexOf(name);
    if (i < 0 || item.kind(i) == JsonKind.NULL) {
      issues.add(param.dot(name), "is required");
      return;
    }
    switch (item.kind(i)) {
      case STRING -> out.raw(JsonBytes.of(item, i));
      case ARRAY -> parts(item.array(i), param.dot(name));
      case NUMBER, TRUE, FALSE, NULL, OBJECT ->
          issues.add(param.dot(name), "must be a string or an array of parts");
    }
  }

  /** Writes the content, a string or an array of parts, into an open array of parts. */
  void append(JsonMembers item, String name, Param param) {
    int i = item.indexOf(name);
    switch (item.kind(i)) {
      case STRING -> {
        out.beginObject().name("type").string("text");
        out.name("text").raw(JsonBytes.of(item, i)).endObject();
      }
      case ARRAY -> {
        JsonElements parts = item.array(i);
        if (!issues.addIfCut(parts, param.dot(name))) {
          elements(parts, param.dot(name));
        }
      }
      case NUMBER, TRUE, FALSE, NULL, OBJECT ->
          issues.add(param.dot(name), "must be a string or an array of parts");
    }
  }

  private void parts(JsonElements parts, Param param) {
    if (issues.addIfCut(parts, param)) {
      return;
    }
    if (parts.size() == 1 && parts.kind(0) == JsonKind.OBJECT && isPlain(parts.object(0))) {
      JsonMembers only = parts.object(0); // more providers accept a string
      out.raw(JsonBytes.of(only, only.indexOf("text")));
      return;
    }
    out.beginArray();
    elements(parts, param);
    out.endArray();
  }

  private void elements(JsonElements parts, Param param) {
    for (int k = 0; k < parts.size() && !issues.isFull(); k++) {
      if (parts.kind(k) == JsonKind.OBJECT) {
        part(parts.object(k), param.at(k));
      } else {
        issues.add(param.at(k), "must be an object");
      }
    }
  }

  private static boolean isPlain(JsonMembers part) {
    int text = part.indexOf("text");
    return part.count("type") == 1
        && isText(part)
        && text >= 0
        && part.kind(text) == JsonKind.STRING
        && !RequestRoot.isGiven(part, "cache_control");
  }

  private static boolean isText(JsonMembers part) {
    return is(part, "input_text") || is(part, "output_text") || is(part, "text");
  }

  private static boolean is(JsonMembers part, String type) {
    int i = part.indexOf("type");
    return i >= 0 && part.isString(i, type);
  }

  private void part(JsonMembers part, Param param) {
    if (issues.addIfCut(part, param)) {
      return;
    }
    int type = part.indexOf("type");
    if (type < 0 || part.kind(type) != JsonKind.STRING) {
      issues.add(param.dot("type"), "must be a string");
    } else if (part.count("type") > 1) {
      issues.add(param.dot("type"), "is given twice");
    } else if (isText(part)) {
      text(part, param);
    } else if (is(part, "input_image")) {
      image(part, param);
    } else if (is(part, "input_file")) {
      file(part, param);
    } else {
      out.raw(JsonBytes.raw(part.bytes(), part.objectStart(), part.objectEnd()));
    }
  }

  private void text(JsonMembers part, Param param) {
    out.beginObject().name("type").string("text");
    required(part, "text", "text", param);
    copy(part, "cache_control");
    out.endObject();
  }

  private void image(JsonMembers part, Param param) {
    out.beginObject().name("type").string("image_url").name("image_url").beginObject();
    required(part, "image_url", "url", param);
    copy(part, "detail");
    out.endObject().endObject();
  }

  private void file(JsonMembers part, Param param) {
    if (RequestRoot.isGiven(part, "file_url")) {
      issues.add(param.dot("file_url"), "is not supported: send file_data");
    }
    out.beginObject().name("type").string("file").name("file").beginObject();
    OF_FILES.forEach(name -> copy(part, name));
    out.endObject().endObject();
  }

  private void required(JsonMembers part, String name, String as, Param param) {
    int i = part.indexOf(name);
    if (i < 0 || part.kind(i) != JsonKind.STRING) {
      issues.add(param.dot(name), "must be a string");
    } else {
      out.name(as).raw(JsonBytes.of(part, i));
    }
  }

  private void copy(JsonMembers part, String name) {
    if (RequestRoot.isGiven(part, name)) {
      out.name(name).raw(JsonBytes.of(part, part.indexOf(name)));
    }
  }
}
