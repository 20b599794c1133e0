package dev.tollgate.core.http;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Message with the status and fields of an upstream server's final response; interim responses are
 * dropped.
 *
 * @param keepAlive true if the connection may serve another request after the body's end
 */
public record ResponseHead(int status, Headers headers, BodyLength body, boolean keepAlive) {
  /** Returns this head with the time of its receipt as Date, if it has none (RFC 9110, 6.6.1). */
  public ResponseHead dated(Instant receivedAt) {
    if (headers.has("date")) {
      return this;
    }
    String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(receivedAt.atOffset(ZoneOffset.UTC));
    return new ResponseHead(status, headers.with("Date", date), body, keepAlive);
  }
}
