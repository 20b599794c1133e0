package dev.tollgate.server.ops;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.tollgate.core.exchange.Ending;
import dev.tollgate.core.exchange.RequestRecord;
import dev.tollgate.core.exchange.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.RequestRecord.PhaseEntry;
import dev.tollgate.core.exchange.RequestRecord.Served;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.tenant.ApiKey;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One request as one line of JSON, made when it is written and not when it is logged. What does not
 * apply to a request is left out.
 */
record AccessLine(RequestRecord record) {
  private static final JsonFactory JSON = new JsonFactory();

  @Override
  public String toString() {
    var text = new StringWriter(768);
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      writeRequest(json);
      ApiKey key = record.key();
      if (key != null) {
        writeCaller(json, key);
      }
      Served served = record.served();
      if (served != null) {
        writeServed(json, served);
      }
      writeSizes(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a StringWriter does not fail", e);
    }
    return text.toString();
  }

  private void writeRequest(JsonGenerator json) throws IOException {
    json.writeStringField("ts", Instant.ofEpochMilli(record.id().epochMillis()).toString());
    json.writeStringField("request_id", record.id().value());
    json.writeStringField("method", record.method());
    json.writeStringField("route", record.route());
    json.writeNumberField("status", record.status());
    Ending ending = record.ending();
    json.writeStringField("outcome", ending.wire());
    ErrorCode code = record.code();
    if (code != null) {
      json.writeStringField("code", code.wire());
    }
    json.writeStringField("client_ip", record.clientAddress());
    writeMillis(json, "total_ms", record.total());
  }

  private static void writeCaller(JsonGenerator json, ApiKey key) throws IOException {
    json.writeStringField("org", key.org().id().toString());
    json.writeStringField("key_id", key.id().value());
    json.writeStringField("key_last4", key.lastFour());
  }

  private static void writeServed(JsonGenerator json, Served served) throws IOException {
    json.writeStringField("model", served.model().toString());
    if (served.provider() != null) {
      json.writeStringField("provider", served.provider().value());
    }
    json.writeBooleanField("stream", served.stream());
    writeMillis(json, "ttft_ms", served.firstToken());
    writeMillis(json, "upstream_ms", served.upstream());
    writeMillis(json, "overhead_ms", served.overhead());
    json.writeNumberField("prompt_tokens", served.usage().promptTokens());
    json.writeNumberField("completion_tokens", served.usage().completionTokens());
    json.writeBooleanField("estimated", served.usage().estimated());
    json.writeNumberField("cost_micro", served.cost().value());
    writeAttempts(json, served);
    writePhases(json, served);
  }

  private static void writeAttempts(JsonGenerator json, Served served) throws IOException {
    json.writeArrayFieldStart("attempts");
    for (AttemptRecord attempt : served.attempts()) {
      json.writeStartObject();
      json.writeStringField("provider", attempt.provider().value());
      json.writeStringField("outcome", attempt.outcome());
      json.writeNumberField("status", attempt.status());
      writeMillis(json, "ms", attempt.took());
      if (attempt.droppedEvents() > 0) {
        json.writeNumberField("dropped_events", attempt.droppedEvents());
      }
      if (!attempt.reason().isEmpty()) {
        json.writeStringField("reason", attempt.reason());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writePhases(JsonGenerator json, Served served) throws IOException {
    json.writeArrayFieldStart("phases");
    for (PhaseEntry entry : served.phases()) {
      json.writeStartObject();
      json.writeStringField("phase", entry.phase());
      writeMillis(json, "at_ms", Duration.ofNanos(entry.nanosSinceAdmission()));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void writeSizes(JsonGenerator json) throws IOException {
    json.writeNumberField("request_bytes", record.requestBytes());
    json.writeNumberField("response_bytes", record.responseBytes());
  }

  /** Milliseconds with microseconds behind the point. */
  private static void writeMillis(JsonGenerator json, String name, @Nullable Duration duration)
      throws IOException {
    if (duration != null) {
      json.writeFieldName(name);
      json.writeNumber(BigDecimal.valueOf(duration.toNanos() / 1_000, 3));
    }
  }
}
