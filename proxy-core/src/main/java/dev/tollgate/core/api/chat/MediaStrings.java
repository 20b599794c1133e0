package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.json.JsonChars;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.net.PublicUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Collector of the media URLs in the parts of messages: all strings that a server may open,
 * whatever the type of the part, because servers differ in which member they read. A {@code data:}
 * URI and plain base64 are no such strings, nor is text.
 */
public final class MediaStrings {
  /** Members that hold text or marks, in which a URL is only mentioned. */
  private static final Set<String> NOT_OPENED =
      Set.of(
          "type",
          "text",
          "refusal",
          "title",
          "context",
          "filename",
          "name",
          "format",
          "detail",
          "media_type",
          "mime_type",
          "cache_control",
          "citations",
          "document",
          "input",
          "arguments",
          "thinking",
          "reasoning",
          "summary",
          "signature");

  /** Levels below a part at which a known server reads a URL. */
  private static final int DEPTH_MAX = 6;

  private static final int HEAD_CHARS = 64;
  private static final String DATA = "data:";
  private static final String JPEG_BASE64 = "/9j/";
  private static final Pattern OPENED = Pattern.compile("(?s)[a-z][a-z0-9+.-]*:[/\\\\].*");

  private final Issues issues;
  private final List<MediaString> found = new ArrayList<>(2);

  public MediaStrings(Issues issues) {
    this.issues = issues;
  }

  /** Returns the URLs in their order: at most one more than a request may have. */
  List<MediaString> found() {
    return found;
  }

  /** Returns the URLs alone. */
  public List<MediaUrl> urls() {
    return found.stream().map(MediaString::media).toList();
  }

  /** Adds the URLs in the members of a request but these, whose rules are known. */
  public void add(JsonMembers root, Set<String> known) {
    for (int i = 0; i < root.size() && !isFull(); i++) {
      String name = root.name(i);
      if (!known.contains(name)) {
        value(root, i, isUrlName(name), Param.of(name), 0);
      }
    }
  }

  /** Adds the URLs in a part. */
  void add(JsonMembers part, Param param) {
    int type = part.indexOf("type");
    boolean isQuoted = type >= 0 && part.isString(type, "search_result");
    members(part, param, 0, isQuoted ? "source" : "");
  }

  private void members(JsonMembers object, Param param, int depth, String quoted) {
    for (int i = 0; i < object.size() && !isFull(); i++) {
      String name = object.name(i);
      boolean isText = name.equals("content") && object.kind(i) == JsonKind.STRING;
      if (!NOT_OPENED.contains(name) && !name.equals(quoted) && !isText) {
        value(object, i, isUrlName(name), param.dot(name), depth);
      }
    }
  }

  private static boolean isUrlName(String name) {
    String end = name.toLowerCase(Locale.ROOT);
    return end.endsWith("url") || end.endsWith("uri");
  }

  private void value(JsonItems items, int i, boolean isUrl, Param param, int depth) {
    switch (items.kind(i)) {
      case STRING -> string(items, i, isUrl, param);
      case OBJECT -> {
        if (depth < DEPTH_MAX) {
          object(items.object(i), param, depth + 1);
        }
      }
      case ARRAY -> {
        if (depth < DEPTH_MAX) {
          elements(items.array(i), isUrl, param, depth + 1);
        }
      }
      case NUMBER, TRUE, FALSE, NULL -> {}
    }
  }

  private void object(JsonMembers object, Param param, int depth) {
    int type = object.indexOf("type");
    boolean isText =
        type >= 0 && object.isString(type, "text") && object.indexOf("type", type + 1) < 0;
    if (!issues.addIfCut(object, param) && !isText) {
      members(object, param, depth, "");
    }
  }

  private void elements(JsonElements elements, boolean isUrl, Param param, int depth) {
    if (!issues.addIfCut(elements, param)) {
      for (int k = 0; k < elements.size() && !isFull(); k++) {
        value(elements, k, isUrl, param.at(k), depth);
      }
    }
  }

  private boolean isFull() {
    return found.size() > MediaUrl.COUNT_MAX || issues.isFull();
  }

  private void string(JsonItems items, int i, boolean isUrl, Param param) {
    if (isOpened(items, i, isUrl)) {
      // A longer one is refused for its length.
      String url = items.chars(i).take(PublicUrl.CHARS_MAX + 1);
      var media = new MediaUrl(found.size(), param.toString(), url);
      found.add(new MediaString(media, items.valueStart(i), items.valueEnd(i)));
    }
  }

  /**
   * True if a server would open the string.
   *
   * @param isUrl true if its member is named like a URL, where some servers also take paths
   */
  private static boolean isOpened(JsonItems items, int i, boolean isUrl) {
    JsonChars chars = items.chars(i);
    int first = chars.next();
    while (first >= 0 && first <= ' ') {
      first = chars.next(); // servers trim it
    }
    if (first == JsonChars.END) {
      return false;
    }
    String head = ((char) first + chars.take(HEAD_CHARS)).toLowerCase(Locale.ROOT);
    if (head.startsWith(DATA)) {
      return false;
    }
    return OPENED.matcher(head).matches() || (isUrl && !isBase64(head, chars));
  }

  private static boolean isBase64(String head, JsonChars rest) {
    if (head.charAt(0) == '/' && !head.startsWith(JPEG_BASE64)) {
      return false; // a path
    }
    int length = 0;
    for (int k = 0; k < head.length(); k++) {
      if (!isBase64(head.charAt(k))) {
        return false;
      }
    }
    int c = rest.next();
    while (c != JsonChars.END && length++ < PublicUrl.CHARS_MAX) {
      if (!isBase64(c)) {
        return false;
      }
      c = rest.next();
    }
    return true;
  }

  private static boolean isBase64(int c) {
    return (c >= 'A' && c <= 'Z')
        || (c >= 'a' && c <= 'z')
        || (c >= '0' && c <= '9')
        || "+/=-_\r\n".indexOf(c) >= 0;
  }
}
