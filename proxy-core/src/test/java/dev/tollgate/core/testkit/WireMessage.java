package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 message as it was on the wire: start line, header lines in their order and case, the
 * decoded body, and the raw bytes.
 */
public sealed class WireMessage permits CapturedRequest, RawResponse {
  private final String startLine;
  private final List<String> headerLines;
  private final byte[] body;
  private final byte[] raw;

  WireMessage(String startLine, List<String> headerLines, byte[] body, byte[] raw) {
    this.startLine = startLine;
    this.headerLines = List.copyOf(headerLines);
    this.body = body;
    this.raw = raw;
  }

  public final String startLine() {
    return startLine;
  }

  /** The header lines as sent, each {@code Name: value}. */
  public final List<String> headerLines() {
    return headerLines;
  }

  /** The value of the first header of this name, in any case. */
  public final @Nullable String header(String name) {
    List<String> all = headers(name);
    return all.isEmpty() ? null : all.getFirst();
  }

  /** The values of all headers of this name, in any case, in their order. */
  public final List<String> headers(String name) {
    return valuesOf(headerLines, name);
  }

  /** The body without its chunk framing. */
  public final byte[] body() {
    return body.clone();
  }

  /** The body as UTF-8 text. */
  public final String text() {
    return new String(body, UTF_8);
  }

  /** Every byte of the message. */
  public final byte[] raw() {
    return raw.clone();
  }

  /** Every byte of the message, one character each. */
  public final String rawText() {
    return new String(raw, ISO_8859_1);
  }

  final int rawBytes() {
    return raw.length;
  }

  static List<String> valuesOf(List<String> headerLines, String name) {
    String prefix = name.toLowerCase(Locale.ROOT) + ":";
    return headerLines.stream()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
        .map(line -> line.substring(prefix.length()).strip())
        .toList();
  }

  @Override
  public final String toString() {
    return rawText();
  }
}
