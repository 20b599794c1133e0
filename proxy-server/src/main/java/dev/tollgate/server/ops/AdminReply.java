package dev.tollgate.server.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.RequestId;
import java.util.LinkedHashMap;
import java.util.Map;

/** HTTP reply of the admin listener: status, content type and a short body. */
public record AdminReply(int status, String contentType, String body) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String JSON_TYPE = "application/json";

  public static AdminReply text(int status, String line) {
    return new AdminReply(status, "text/plain; charset=utf-8", line + "\n");
  }

  /** Returns a reply from a JSON document. */
  public static AdminReply json(String document) {
    return new AdminReply(200, JSON_TYPE, document);
  }

  /** Returns a reply from maps, lists, strings, numbers and booleans as JSON. */
  public static AdminReply json(int status, Object tree) {
    try {
      return new AdminReply(status, JSON_TYPE, JSON.writeValueAsString(tree));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a tree of plain values", e);
    }
  }

  /** Returns the error envelope of the API (docs/decisions/errors.md#envelope). */
  public static AdminReply error(
      ErrorCode code, String message, RequestId id, Map<String, Object> details) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("type", code.type().wire());
    error.put("code", code.wire());
    error.put("message", message);
    error.put("request_id", id.value());
    if (!details.isEmpty()) {
      error.put("details", details);
    }
    return json(code.status(), Map.of("error", error));
  }
}
