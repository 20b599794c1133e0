package dev.tollgate.server.ops;

import static dev.tollgate.server.ops.JsonLine.name;

import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.PhaseEntry;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.server.ops.JsonLine.Name;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * JSON line of one ended request, for the access log and the request log, rendered when it is
 * written. Members that do not apply to the request are left out.
 */
record AccessLine(RequestRecord record) {
  private static final Name TS = name("ts");
  private static final Name REQUEST_ID = name("request_id");
  private static final Name METHOD = name("method");
  private static final Name ROUTE = name("route");
  private static final Name STATUS = name("status");
  private static final Name OUTCOME = name("outcome");
  private static final Name CODE = name("code");
  private static final Name PARAM = name("param");
  private static final Name CLIENT_IP = name("client_ip");
  private static final Name TOTAL_MS = name("total_ms");
  private static final Name ORG = name("org");
  private static final Name KEY_ID = name("key_id");
  private static final Name KEY_LAST4 = name("key_last4");
  private static final Name MODEL = name("model");
  private static final Name PROVIDER = name("provider");
  private static final Name STREAM = name("stream");
  private static final Name TTFT_MS = name("ttft_ms");
  private static final Name UPSTREAM_MS = name("upstream_ms");
  private static final Name OVERHEAD_MS = name("overhead_ms");
  private static final Name PROMPT_TOKENS = name("prompt_tokens");
  private static final Name COMPLETION_TOKENS = name("completion_tokens");
  private static final Name CACHED_TOKENS = name("cached_tokens");
  private static final Name REASONING_TOKENS = name("reasoning_tokens");
  private static final Name ROUTING = name("routing");
  private static final Name ESTIMATED = name("estimated");
  private static final Name COST_MICRO = name("cost_micro");
  private static final Name OPERATOR_COST_MICRO = name("operator_cost_micro");
  private static final Name BELOW_COST = name("below_cost");
  private static final Name RESUME = name("resume");
  private static final Name ATTEMPTS = name("attempts");
  private static final Name MS = name("ms");
  private static final Name RESENT = name("resent");
  private static final Name DROPPED_EVENTS = name("dropped_events");
  private static final Name ANOMALIES = name("anomalies");
  private static final Name REASON = name("reason");
  private static final Name DETAILS = name("details");
  private static final Name DROPPED = name("dropped");
  private static final Name PHASES = name("phases");
  private static final Name PHASE = name("phase");
  private static final Name AT_MS = name("at_ms");
  private static final Name REQUEST_BYTES = name("request_bytes");
  private static final Name RESPONSE_BYTES = name("response_bytes");

  /** Longest JSON path of a line: a client's own member names may be of any length. */
  private static final int PARAM_CHARS_MAX = 200;

  /**
   * Event loops build the rows of the store, and the log thread builds the lines of the log; each
   * thread reuses one writer.
   */
  private static final ThreadLocal<JsonLine> LINES = ThreadLocal.withInitial(JsonLine::new);

  @Override
  public String toString() {
    return new String(utf8(), StandardCharsets.US_ASCII);
  }

  byte[] utf8() {
    JsonLine line = LINES.get();
    write(line);
    return line.bytes();
  }

  byte[] utf8(char terminator) {
    JsonLine line = LINES.get();
    write(line);
    line.terminate(terminator);
    return line.bytes();
  }

  private void write(JsonLine line) {
    line.begin('{');
    writeRequest(line);
    ApiKey key = record.key();
    if (key != null) {
      writeCaller(line, key);
    }
    Served served = record.served();
    if (served != null) {
      writeServed(line, served);
    }
    line.number(REQUEST_BYTES, record.http().requestBytes());
    line.number(RESPONSE_BYTES, record.http().responseBytes());
    line.end('}');
  }

  private void writeRequest(JsonLine line) {
    line.instant(TS, record.id().epochMillis());
    line.plain(REQUEST_ID, record.id().value());
    line.text(METHOD, record.http().method());
    line.text(ROUTE, record.route());
    line.number(STATUS, record.status());
    line.plain(OUTCOME, record.outcome().wire());
    ErrorCode code = record.code();
    if (code != null) {
      line.text(CODE, code.wire());
    }
    String param = record.param();
    if (param != null) {
      line.text(PARAM, param.substring(0, Math.min(param.length(), PARAM_CHARS_MAX)));
    }
    line.text(CLIENT_IP, record.http().clientAddress());
    line.millis(TOTAL_MS, record.total().toNanos());
  }

  private static void writeCaller(JsonLine line, ApiKey key) {
    line.plain(ORG, key.org().id().toString());
    line.text(KEY_ID, key.id().value());
    line.text(KEY_LAST4, key.lastFour());
  }

  private static void writeServed(JsonLine line, Served served) {
    line.text(MODEL, served.model().toString());
    if (served.provider() != null) {
      line.text(PROVIDER, served.provider().value());
    }
    line.text(ROUTING, served.routing());
    line.bool(STREAM, served.stream());
    writeMillis(line, TTFT_MS, served.timing().firstToken());
    writeMillis(line, UPSTREAM_MS, served.timing().upstream());
    writeMillis(line, OVERHEAD_MS, served.timing().overhead());
    line.number(PROMPT_TOKENS, served.usage().promptTokens());
    line.number(COMPLETION_TOKENS, served.usage().completionTokens());
    line.number(CACHED_TOKENS, served.usage().cachedTokens());
    line.number(REASONING_TOKENS, served.usage().reasoningTokens());
    line.bool(ESTIMATED, served.usage().estimated());
    line.number(COST_MICRO, served.cost().value());
    if (!served.operatorCost().equals(served.cost())) {
      line.number(OPERATOR_COST_MICRO, served.operatorCost().value());
    }
    if (served.charge().isBelowCost()) {
      line.bool(BELOW_COST, true);
    }
    PricedParts.write(line, served.charge());
    writeAttempts(line, served);
    writePhases(line, served);
  }

  private static void writeAttempts(JsonLine line, Served served) {
    line.member(ATTEMPTS);
    line.begin('[');
    for (AttemptRecord attempt : served.attempts()) {
      line.begin('{');
      line.text(PROVIDER, attempt.provider().value());
      line.text(OUTCOME, attempt.outcome());
      line.number(STATUS, attempt.status());
      line.millis(AT_MS, attempt.nanosSinceAdmission());
      writeMillis(line, MS, attempt.took());
      if (attempt.droppedEvents() > 0) {
        line.number(DROPPED_EVENTS, attempt.droppedEvents());
      }
      if (!attempt.anomalies().isEmpty()) {
        line.text(
            ANOMALIES,
            attempt.anomalies().stream()
                .map(ProtocolAnomaly::wire)
                .collect(Collectors.joining(",")));
      }
      line.textIfAny(RESUME, attempt.resume());
      if (attempt.resent() > 0) {
        line.number(RESENT, attempt.resent());
      }
      line.textIfAny(REASON, attempt.reason());
      writeUnsent(line, attempt);
      line.end('}');
    }
    line.end(']');
  }

  private static void writeUnsent(JsonLine line, AttemptRecord attempt) {
    if (!attempt.unsent().isEmpty()) {
      line.member(DETAILS);
      line.begin('{');
      line.member(DROPPED);
      line.begin('[');
      attempt.unsent().forEach(line::text);
      line.end(']');
      line.end('}');
    }
  }

  private static void writePhases(JsonLine line, Served served) {
    line.member(PHASES);
    line.begin('[');
    for (PhaseEntry entry : served.timing().phases()) {
      line.begin('{');
      line.plain(PHASE, entry.phase());
      line.millis(AT_MS, entry.nanosSinceAdmission());
      line.end('}');
    }
    line.end(']');
  }

  private static void writeMillis(JsonLine line, Name name, @Nullable Duration duration) {
    if (duration != null) {
      line.millis(name, duration.toNanos());
    }
  }
}
