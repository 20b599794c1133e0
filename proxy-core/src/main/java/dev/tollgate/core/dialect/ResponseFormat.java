package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.Optional;

/**
 * Answer format that the member {@code response_format} of a chat request demands, such as a JSON
 * schema.
 *
 * @param type such as {@code json_schema}
 * @param definition the member {@code json_schema}; empty if there is none
 * @param schema index of the schema in the definition; -1 means there is none
 */
public record ResponseFormat(String type, JsonMembers definition, int schema) {
  /** Reads the format of a chat; empty if it demands nothing but text. */
  public static Optional<ResponseFormat> of(JsonMembers chat) {
    int i = JsonReads.find(chat, "response_format", JsonKind.OBJECT);
    if (i < 0 || JsonReads.isString(chat.object(i), "type", "text")) {
      return Optional.empty();
    }
    JsonMembers format = chat.object(i);
    int type = JsonReads.findText(format, "type");
    JsonMembers definition = JsonReads.object(format, "json_schema");
    return Optional.of(
        new ResponseFormat(
            type < 0 ? "" : format.string(type),
            definition,
            JsonReads.find(definition, "schema", JsonKind.OBJECT)));
  }

  /** True if a schema is given. */
  public boolean hasSchema() {
    return schema >= 0;
  }
}
