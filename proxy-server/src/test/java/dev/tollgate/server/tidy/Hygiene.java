package dev.tollgate.server.tidy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What must not be in any tracked file: leftovers, sleeps, machine paths, registries, big files.
 */
final class Hygiene {
  private static final long FILE_BYTES_MAX = 1024 * 1024;

  /**
   * A pattern that no line of the files it is for may match. The words are kept from themselves.
   */
  private record Ban(String name, Predicate<TrackedFile> files, Pattern pattern) {
    Ban(String name, Predicate<TrackedFile> files, String... words) {
      this(name, files, Pattern.compile(String.join("", words)));
    }
  }

  private static final List<Ban> BANS =
      List.of(
          new Ban("a leftover", _ -> true, "\\b(TO", "DO|FIX", "ME|XX", "X)\\b"),
          new Ban(
              "a machine path",
              _ -> true,
              "(?<![\\w.$}*-])/(wo",
              "rk|ro",
              "ot|ho",
              "me|Use",
              "rs)/\\w"),
          new Ban(
              "a package registry",
              _ -> true,
              "https?://[^/\\s\"]*(regi",
              "stry|arti",
              "factory|nex",
              "us|repo\\d?\\.|mirr",
              "or)"),
          new Ban(
              "a repository of its own",
              file -> file.name().equals("pom.xml"),
              "<(plugin)?[rR]epos",
              "itory>"),
          new Ban("a wildcard import", TrackedFile::isJava, "^import .*\\*;"),
          new Ban("a sleep", TrackedFile::isTestJava, "\\bsle", "ep\\(|park", "Nanos\\("),
          new Ban("a skipped test", TrackedFile::isTestJava, "@Dis", "abled"),
          new Ban("a mocking library", TrackedFile::isTestJava, "org\\.moc", "kito|easy", "mock"),
          new Ban("printing", TrackedFile::isTestJava, "System\\.(o", "ut|e", "rr)\\b"));

  private static final Pattern VAGUE =
      Pattern.compile(".*(Manager|Helpers?|Utils?|Data|Misc|Common)\\.java");

  private Hygiene() {}

  static List<String> violations(Collection<TrackedFile> files) {
    List<String> found = new ArrayList<>();
    for (TrackedFile file : files) {
      if (file.bytes() > FILE_BYTES_MAX) {
        found.add(file.path() + " is bigger than " + FILE_BYTES_MAX + " bytes");
      }
      if (VAGUE.matcher(file.name()).matches()) {
        found.add(file.path() + " has a name that says nothing");
      }
      BANS.stream().filter(ban -> ban.files().test(file)).forEach(ban -> search(file, ban, found));
    }
    found.addAll(unmarkedPackages(files));
    return found;
  }

  private static void search(TrackedFile file, Ban ban, List<String> found) {
    List<String> lines = file.lines();
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = ban.pattern().matcher(lines.get(i));
      if (matcher.find()) {
        found.add(file.path() + ":" + (i + 1) + " holds " + ban.name() + ": " + matcher.group());
      }
    }
  }

  /** A package is marked once, in main if it has sources there, else in test. */
  private static List<String> unmarkedPackages(Collection<TrackedFile> files) {
    Set<String> marked = new HashSet<>();
    Set<String> used = new HashSet<>();
    for (TrackedFile file : files) {
      if (!file.isMainJava() && !file.isTestJava()) {
        continue;
      }
      used.add(file.folder());
      if (file.name().equals("package-info.java") && file.text().contains("@NullMarked")) {
        marked.add(file.folder());
      }
    }
    return used.stream()
        .filter(folder -> !marked.contains(folder))
        .filter(folder -> !marked.contains(folder.replace("src/test/java/", "src/main/java/")))
        .sorted()
        .map(folder -> folder + " has no package-info.java with @NullMarked")
        .toList();
  }
}
