package dev.tollgate.server.tidy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Links to the documentation: from the sources as a path from the root, from Markdown files as
 * relative links. File and heading must exist, and no file may refer to a text that is not in the
 * checkout. Anchors are formed as GitHub forms them.
 */
final class DocReferences {
  private static final Pattern PAGE =
      Pattern.compile("(?<![\\w./-]|\\]\\()(docs/[\\w./-]+\\.md)(?:#([\\w-]+))?");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.+?)(?: +#+)?");
  private static final Pattern LINK_TEXT = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");

  /** Also where a comment breaks its line. The words are kept from themselves. */
  private static final Pattern ABSENT =
      Pattern.compile(
          String.join("", "\\b(DECI", "SIONS|SP", "EC|REQUIRE", "MENTS)")
              + "( |\\s*\\n\\s*(\\*|//|--|#)? *)[A-Z]?[0-9]");

  private final Map<String, Set<String>> anchors = new HashMap<>();
  private final Set<String> paths = new HashSet<>();
  private final List<String> found = new ArrayList<>();

  private DocReferences(Collection<TrackedFile> files) {
    for (TrackedFile file : files) {
      addPath(file.path());
      if (isMarkdown(file)) {
        anchors.put(file.path(), anchors(file));
      }
    }
  }

  static List<String> violations(Collection<TrackedFile> files) {
    var references = new DocReferences(files);
    files.forEach(references::check);
    return references.found;
  }

  private void addPath(String path) {
    paths.add(path);
    for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      paths.add(path.substring(0, slash));
    }
  }

  private void check(TrackedFile file) {
    Matcher absent = ABSENT.matcher(file.text());
    while (absent.find()) {
      long line = file.text().substring(0, absent.start()).lines().count();
      found.add(file.path() + ":" + line + " refers to a text elsewhere: " + absent.group(1));
    }
    List<String> lines = file.lines();
    boolean isCode = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      String at = file.path() + ":" + (i + 1);
      Matcher page = PAGE.matcher(line);
      while (page.find()) {
        resolve(at, page.group(1), page.group(2));
      }
      isCode ^= isFence(line);
      if (isMarkdown(file) && !isCode) {
        checkLinks(file, at, line);
      }
    }
  }

  private void checkLinks(TrackedFile file, String at, String line) {
    Matcher link = LINK.matcher(line);
    while (link.find()) {
      String target = link.group(1);
      if (!ELSEWHERE.matcher(target).matches()) {
        String[] parts = target.split("#", 2);
        String path = parts[0].isEmpty() ? file.path() : normalized(file.folder(), parts[0]);
        resolve(at, path, parts.length > 1 ? parts[1] : null);
      }
    }
  }

  private void resolve(String at, String path, @Nullable String anchor) {
    if (!paths.contains(path)) {
      found.add(at + " links to a file that does not exist: " + path);
    } else if (anchor != null && !anchors.getOrDefault(path, Set.of()).contains(anchor)) {
      found.add(at + " links to a heading that does not exist: " + path + "#" + anchor);
    }
  }

  private static String normalized(String folder, String relative) {
    List<String> parts = new ArrayList<>();
    for (String part : (folder + "/" + relative).split("/", -1)) {
      if (part.equals("..") && !parts.isEmpty()) {
        parts.removeLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return String.join("/", parts);
  }

  private static Set<String> anchors(TrackedFile file) {
    Set<String> anchors = new HashSet<>();
    boolean isCode = false;
    for (String line : file.lines()) {
      isCode ^= isFence(line);
      Matcher heading = HEADING.matcher(line);
      if (!isCode && heading.matches()) {
        String anchor = anchor(heading.group(1));
        String unique = anchor;
        for (int n = 1; !anchors.add(unique); n++) {
          unique = anchor + "-" + n;
        }
      }
    }
    return anchors;
  }

  private static String anchor(String heading) {
    return LINK_TEXT
        .matcher(heading)
        .replaceAll("$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
        .replace(' ', '-');
  }

  private static boolean isFence(String line) {
    return line.stripLeading().startsWith("```");
  }

  private static boolean isMarkdown(TrackedFile file) {
    return file.path().endsWith(".md");
  }
}
