package dev.tollgate.server.explorer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.tollgate.server.explorer.RequestLine.Attempt;
import dev.tollgate.server.explorer.RequestLine.Phase;
import dev.tollgate.server.explorer.RequestRow.Timing;
import dev.tollgate.server.explorer.RequestRow.Tokens;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reader of one line of the request log. It reads token by token, because the projection parses
 * every request; members that it does not know are skipped.
 */
final class RequestLineReader {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int STATUS_MAX = 999;

  private @Nullable String endpoint;
  private @Nullable Integer status;
  private @Nullable String outcome;
  private @Nullable String code;
  private @Nullable String param;
  private @Nullable String clientIp;
  private @Nullable String model;
  private @Nullable String provider;
  private @Nullable String routing;
  private @Nullable Boolean stream;
  private @Nullable Boolean estimated;
  private @Nullable Integer totalMs;
  private @Nullable Integer ttftMs;
  private @Nullable Integer overheadUs;
  private @Nullable Integer upstreamMs;
  private long prompt;
  private long completion;
  private long cached;
  private long reasoning;
  private long cost;
  private @Nullable Long operatorCost;
  private List<Attempt> attempts = List.of();
  private List<Phase> phases = List.of();
  private long requestBytes;
  private long responseBytes;

  /** Reads a line; of one that is no JSON object nothing is known. */
  static RequestLine read(String text) {
    var reader = new RequestLineReader();
    try (JsonParser json = JSON.createParser(text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return RequestLine.EMPTY;
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        reader.member(name, json);
      }
      return reader.line();
    } catch (IOException notJson) {
      return RequestLine.EMPTY;
    }
  }

  RequestLine line() {
    return new RequestLine(
        endpoint,
        status,
        outcome,
        code,
        param,
        clientIp,
        model,
        provider,
        routing,
        stream,
        estimated,
        new Timing(totalMs, ttftMs, overheadUs, upstreamMs),
        new Tokens(prompt, completion, cached, reasoning),
        cost,
        operatorCost,
        attempts,
        phases,
        requestBytes,
        responseBytes);
  }

  private void member(String name, JsonParser json) throws IOException {
    switch (name) {
      case "route" -> endpoint = json.getText();
      case "status" -> status = Math.clamp(integer(json), 0, STATUS_MAX);
      case "outcome" -> outcome = json.getText();
      case "code" -> code = json.getText();
      case "param" -> param = json.getText();
      case "client_ip" -> clientIp = json.getText();
      case "model" -> model = json.getText();
      case "provider" -> provider = json.getText();
      case "routing" -> routing = json.getText();
      case "stream" -> stream = json.getValueAsBoolean();
      case "estimated" -> estimated = json.getValueAsBoolean();
      case "total_ms" -> totalMs = scaled(json, 1);
      case "ttft_ms" -> ttftMs = scaled(json, 1);
      case "upstream_ms" -> upstreamMs = scaled(json, 1);
      case "overhead_ms" -> overheadUs = scaled(json, 1_000);
      case "attempts" -> attempts = attempts(json);
      case "phases" -> phases = phases(json);
      default -> amount(name, json);
    }
  }

  private void amount(String name, JsonParser json) throws IOException {
    switch (name) {
      case "prompt_tokens" -> prompt = integer(json);
      case "completion_tokens" -> completion = integer(json);
      case "cached_tokens" -> cached = integer(json);
      case "reasoning_tokens" -> reasoning = integer(json);
      case "cost_micro" -> cost = integer(json);
      case "operator_cost_micro" -> operatorCost = integer(json);
      case "request_bytes" -> requestBytes = integer(json);
      case "response_bytes" -> responseBytes = integer(json);
      default -> json.skipChildren();
    }
  }

  private static List<Attempt> attempts(JsonParser json) throws IOException {
    List<Attempt> found = new ArrayList<>();
    if (json.currentToken() != JsonToken.START_ARRAY) {
      json.skipChildren();
      return found;
    }
    while (json.nextToken() == JsonToken.START_OBJECT) {
      found.add(new AttemptReader().read(json));
    }
    return found;
  }

  /** Reader of one attempt. */
  private static final class AttemptReader {
    private String provider = "";
    private String outcome = "";
    private int status;
    private @Nullable Double atMs;
    private double ms;
    private String resume = "";
    private String reason = "";
    private int droppedEvents;
    private int resent;
    private String anomalies = "";
    private List<String> dropped = List.of();

    Attempt read(JsonParser json) throws IOException {
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "provider" -> provider = json.getText();
          case "outcome" -> outcome = json.getText();
          case "status" -> status = (int) integer(json);
          case "at_ms" -> atMs = json.getValueAsDouble();
          case "ms" -> ms = json.getValueAsDouble();
          case "resume" -> resume = json.getText();
          case "reason" -> reason = json.getText();
          case "dropped_events" -> droppedEvents = (int) integer(json);
          case "resent" -> resent = (int) integer(json);
          case "anomalies" -> anomalies = json.getText();
          case "details" -> dropped = dropped(json);
          default -> json.skipChildren();
        }
      }
      return new Attempt(
          provider,
          outcome,
          status,
          atMs,
          ms,
          resume,
          reason,
          droppedEvents,
          resent,
          anomalies,
          dropped);
    }

    private static List<String> dropped(JsonParser json) throws IOException {
      List<String> paths = new ArrayList<>();
      if (json.currentToken() != JsonToken.START_OBJECT) {
        json.skipChildren();
        return paths;
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        if (!name.equals("dropped")) {
          json.skipChildren();
          continue;
        }
        while (json.nextToken() == JsonToken.VALUE_STRING) {
          paths.add(json.getText());
        }
      }
      return paths;
    }
  }

  private static List<Phase> phases(JsonParser json) throws IOException {
    List<Phase> found = new ArrayList<>();
    if (json.currentToken() != JsonToken.START_ARRAY) {
      json.skipChildren();
      return found;
    }
    while (json.nextToken() == JsonToken.START_OBJECT) {
      String phase = "";
      double atMs = 0;
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "phase" -> phase = json.getText();
          case "at_ms" -> atMs = json.getValueAsDouble();
          default -> json.skipChildren();
        }
      }
      found.add(new Phase(phase, atMs));
    }
    return found;
  }

  private static long integer(JsonParser json) {
    try {
      return json.getValueAsLong();
    } catch (IOException notAnInteger) {
      return 0;
    }
  }

  /** Returns a duration in milliseconds times {@code scale}, rounded. */
  private static @Nullable Integer scaled(JsonParser json, int scale) throws IOException {
    if (!json.currentToken().isNumeric()) {
      return null;
    }
    return Math.clamp(Math.round(json.getDoubleValue() * scale), 0, Integer.MAX_VALUE);
  }
}
