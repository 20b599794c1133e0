package dev.tollgate.server.mail;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Mail to one address: paragraphs and at most one link, which may be secret, so that {@code
 * toString} shows neither.
 */
public record MailMessage(
    MailKind kind, String to, String subject, List<String> paragraphs, @Nullable String link) {
  public MailMessage {
    paragraphs = List.copyOf(paragraphs);
  }

  /** Returns the body as plain text. */
  public String text() {
    var text = new StringBuilder();
    for (String each : paragraphs) {
      text.append(each).append("\n\n");
    }
    if (link != null) {
      text.append(link).append("\n");
    }
    return text.toString();
  }

  /** Returns the body as HTML without styles and images. */
  public String html() {
    var html = new StringBuilder("<!doctype html><html><body>\n");
    for (String each : paragraphs) {
      html.append("<p>").append(escaped(each)).append("</p>\n");
    }
    if (link != null) {
      String target = escaped(link);
      html.append("<p><a href=\"").append(target).append("\">").append(target).append("</a></p>\n");
    }
    return html.append("</body></html>\n").toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  @Override
  public String toString() {
    return kind.wire();
  }
}
