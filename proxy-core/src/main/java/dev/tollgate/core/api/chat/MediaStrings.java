package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.FormFields;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.MemberNames;
import dev.tollgate.core.api.MultipartForm;
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
import org.jspecify.annotations.Nullable;

/**
 * Collector of the media URLs in the parts of messages and in the members that are passed on
 * unread: all strings that a server may open, whatever the type of the part, because servers differ
 * in which member they read. A {@code data:} URI and plain base64 are no such strings, nor is text.
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

  /** Members that hold text or marks in objects that are no parts. */
  private static final Set<String> WORDS =
      Set.of("type", "text", "title", "filename", "name", "description", "arguments", "reasoning");

  /** Members of the objects in a part that are read. */
  private static final MemberNames OF_PART =
      MemberNames.of("type", "url", "detail", "data", "format", "file_data", "file_id", "filename");

  /** Levels below a part at which a known server reads a URL. */
  private static final int DEPTH_MAX = 6;

  private static final int HEAD_CHARS = 64;
  private static final String DATA = "data:";
  private static final String JPEG_BASE64 = "/9j/";
  private static final String MARK_OF_SCHEMAS = "$"; // {"$schema": "https://…"} names, opens not
  private static final Pattern OPENED = Pattern.compile("(?s)[a-z][a-z0-9+.-]*:[/\\\\].*");
  private static final Pattern WITHOUT_SCHEME = Pattern.compile("(?s)[/\\\\]{2}[^ ].*");

  private final Issues issues;
  private final List<MediaString> found = new ArrayList<>(2);
  private boolean inPart;

  public MediaStrings(Issues issues) {
    this.issues = issues;
  }

  /** Returns the URLs in their order: at most one more than a request may have. */
  List<MediaString> found() {
    return found;
  }

  /** Returns the URLs in the members of a request that are passed on unread. */
  public static List<MediaUrl> ofUnread(JsonMembers root, MemberNames read, Issues issues) {
    var urls = new MediaStrings(issues);
    urls.addUnread(root, null, read, Set.of());
    return urls.found.stream().map(MediaString::media).toList();
  }

  /** Returns the URLs in the text fields of a form that are passed on unread. */
  public static List<MediaUrl> ofUnread(MultipartForm form, FormFields read, Issues issues) {
    return ofUnread(read.unread(form), MemberNames.of(), issues);
  }

  /**
   * Adds the URLs in the members of an object that are passed on unread.
   *
   * @param param path of the object; null for a body
   * @param read names whose rules are known
   * @param words further names of members that only mention URLs
   */
  void addUnread(JsonMembers object, @Nullable Param param, MemberNames read, Set<String> words) {
    inPart = false;
    for (int i = 0; i < object.size() && !isFull(); i++) {
      if (mayBeUrl(object.kind(i)) && !read.contains(object, i)) {
        String name = object.name(i);
        if (!words.contains(name)) {
          value(object, i, isUrlName(name), param == null ? Param.of(name) : param.dot(name), 0);
        }
      }
    }
  }

  private static boolean mayBeUrl(JsonKind kind) {
    return kind == JsonKind.STRING || kind == JsonKind.OBJECT || kind == JsonKind.ARRAY;
  }

  /** Adds the URLs in a part. */
  void add(JsonMembers part, Param param) {
    inPart = true;
    int type = part.indexOf("type");
    boolean isQuoted = type >= 0 && part.isString(type, "search_result");
    members(part, param, 0, isQuoted ? "source" : "");
  }

  private void members(JsonMembers object, Param param, int depth, String quoted) {
    for (int i = 0; i < object.size() && !isFull(); i++) {
      String name = object.name(i);
      boolean isText = name.equals("content") && object.kind(i) == JsonKind.STRING;
      if (!isNotOpened(name) && !name.equals(quoted) && !isText) {
        value(object, i, isUrlName(name), param.dot(name), depth);
      }
    }
  }

  private boolean isNotOpened(String name) {
    return inPart
        ? NOT_OPENED.contains(name)
        : WORDS.contains(name) || name.startsWith(MARK_OF_SCHEMAS);
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
        if (depth < DEPTH_MAX && hasString(items, i)) {
          elements(items.array(i), isUrl, param, depth + 1);
        }
      }
      case NUMBER, TRUE, FALSE, NULL -> {}
    }
  }

  /** True if a value has a string: long lists of numbers are not read. */
  private static boolean hasString(JsonItems items, int i) {
    int end = items.valueEnd(i);
    int at = items.valueStart(i);
    while (at < end && items.bytes()[at] != '"') {
      at++;
    }
    return at < end;
  }

  private void object(JsonMembers object, Param param, int depth) {
    int type = object.indexOf("type");
    boolean isText =
        type >= 0 && object.isString(type, "text") && object.indexOf("type", type + 1) < 0;
    if (!issues.addIfCut(object, param)) {
      if (inPart) {
        var _ = OF_PART.check(object, param, issues);
      }
      members(object, param, depth, isText ? "data" : "");
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
    if (OPENED.matcher(head).matches()) {
      return true;
    }
    if (isUrl) {
      return isPath(head) || !isBase64(head, chars);
    }
    // Audio in base64 often begins with two slashes, but it is longer.
    return WITHOUT_SCHEME.matcher(head).matches()
        && (head.length() <= HEAD_CHARS || !isBase64(head, chars));
  }

  private static boolean isPath(String head) {
    return head.charAt(0) == '/' && !head.startsWith(JPEG_BASE64);
  }

  private static boolean isBase64(String head, JsonChars rest) {
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
