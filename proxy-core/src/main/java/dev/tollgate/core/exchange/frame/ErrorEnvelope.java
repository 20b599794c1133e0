package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.ErrorForm;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;

/**
 * Writer of the JSON object in which clients receive every error
 * (docs/decisions/errors.md#envelope).
 */
public final class ErrorEnvelope {
  private ErrorEnvelope() {}

  public static void write(ByteBuf out, Fault fault, RequestId id) {
    write(new JsonWriter(out).beginObject(), fault, id);
  }

  /** Writes a fault in the form of a stream's last event. */
  public static void write(ByteBuf out, Fault fault, RequestId id, ErrorForm form) {
    JsonWriter json = new JsonWriter(out).beginObject();
    switch (form) {
      case ErrorForm.Envelope _ -> {}
      case ErrorForm.Event event ->
          json.name("type").string("error").name("sequence_number").number(event.sequenceNumber());
    }
    write(json, fault, id);
  }

  private static void write(JsonWriter json, Fault fault, RequestId id) {
    json.name("error").beginObject();
    json.name("type").string(fault.code().type().wire());
    json.name("code").string(fault.code().wire());
    json.name("message").string(fault.message());
    json.name("request_id").string(id.value());
    if (fault.param() != null) {
      json.name("param").string(fault.param());
    }
    if (fault.provider() != null) {
      json.name("provider").string(fault.provider().value());
    }
    if (fault.retryAfterSeconds() > 0) {
      json.name("retry_after").number(fault.retryAfterSeconds());
    }
    if (!fault.details().isEmpty()) {
      json.name("details").value(fault.details());
    }
    json.endObject().endObject();
  }
}
