package dev.tollgate.core.http.multipart;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Boundary of a multipart form (RFC 2046): 1 to 70 characters that separate its parts, chosen by
 * the form's sender.
 *
 * @param text the characters, without the dashes before them
 */
public record MultipartBoundary(String text) {
  private static final Pattern PARAMETER =
      Pattern.compile(
          ";\\s*boundary\\s*=\\s*(?:\"([^\"\\\\]*)\"|([^\\s\";,]+))\\s*(?=;|$)",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern VALID =
      Pattern.compile("[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]");
  private static final Pattern TOKEN = Pattern.compile("[0-9A-Za-z'+_.-]+");
  private static final Pattern NAMED = Pattern.compile("boundary\\s*=", Pattern.CASE_INSENSITIVE);

  /**
   * Returns the boundary in a content type; empty if it is not multipart/form-data, or has not
   * exactly one boundary.
   */
  public static Optional<MultipartBoundary> of(String contentType) {
    Matcher parameter = PARAMETER.matcher(contentType);
    if (!parameter.find() || NAMED.matcher(contentType).results().count() != 1) {
      return Optional.empty();
    }
    String quoted = parameter.group(1);
    String text = quoted == null ? parameter.group(2) : quoted;
    return VALID.matcher(text).matches()
        ? Optional.of(new MultipartBoundary(text))
        : Optional.empty();
  }

  /** Returns the content type of a form with this boundary. */
  public String contentType() {
    boolean isToken = TOKEN.matcher(text).matches();
    return "multipart/form-data; boundary=" + (isToken ? text : "\"" + text + "\"");
  }

  /** Returns the line between two parts. */
  byte[] delimiter() {
    return ("--" + text).getBytes(US_ASCII);
  }

  /** Returns a part with text, which contains neither a line break nor a boundary. */
  public byte[] field(String name, String value) {
    return ("--"
            + text
            + "\r\nContent-Disposition: form-data; name=\""
            + name
            + "\"\r\n\r\n"
            + value
            + "\r\n")
        .getBytes(US_ASCII);
  }

  /** Returns the line after the last part. */
  public byte[] close() {
    return ("--" + text + "--\r\n").getBytes(US_ASCII);
  }
}
