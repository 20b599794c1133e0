package dev.tollgate.server.tidy;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of the code (docs/glossary.md): names of types and metrics are free of images, a type's
 * simple name is unique within its module, classes of CLI verbs end in Command, loggers are named
 * LOG, and texts use few of the phrases that a reader from outside does not understand.
 */
final class Vocabulary {
  /** Words that no name of a type or metric contains; docs/glossary.md has the terms in use. */
  private static final Set<String> BANNED_WORDS =
      Set.of(
          "alarm",
          "bank",
          "bill",
          "books",
          "contender",
          "dawn",
          "departure",
          "desk",
          "doorbell",
          "draw",
          "enquiry",
          "heard",
          "held",
          "letter",
          "life",
          "look",
          "looks",
          "nobody",
          "oddity",
          "oddities",
          "parting",
          "patience",
          "purse",
          "shelf",
          "silence",
          "silent",
          "somebody",
          "standing",
          "told",
          "treasury",
          "tries",
          "unbroken",
          "vain",
          "whoever",
          "wish",
          "zeros");

  /** Phrases counted by {@link #phrases}: persons instead of things, images instead of terms. */
  private static final Pattern BANNED_PHRASES =
      Pattern.compile(
          "\\b(nobody|whoever|somebody|told|heard|lets? go|letting go|the books|in vain|goes on"
              + "|signs? of life|so many)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern METRIC = Pattern.compile("\"(tollgate_[a-z0-9_]+)\"");
  private static final Pattern LOGGER = Pattern.compile("\\bLogger (\\w+) =");
  private static final String COMMAND = "Lpicocli/CommandLine$Command;";

  private Vocabulary() {}

  static List<String> violations(Collection<TrackedFile> files, Collection<ClassModel> classes) {
    List<String> found = new ArrayList<>();
    Map<String, Set<String>> modulesTypes = new TreeMap<>();
    for (TrackedFile file : files) {
      if (!file.isMainJava() || file.name().equals("package-info.java")) {
        continue;
      }
      checkType(file, modulesTypes, found);
      Matcher metric = METRIC.matcher(file.text());
      while (metric.find()) {
        checkWords(file.path(), metric.group(1), metric.group(1).split("_"), found);
      }
      Matcher logger = LOGGER.matcher(file.text());
      while (logger.find()) {
        if (!logger.group(1).equals("LOG")) {
          found.add(file.path() + ": the logger is named " + logger.group(1) + ", not LOG");
        }
      }
    }
    classes.forEach(model -> checkCommand(model, found));
    return found;
  }

  private static void checkType(
      TrackedFile file, Map<String, Set<String>> modulesTypes, List<String> found) {
    String type = file.name().replace(".java", "");
    checkWords(file.path(), type, type.split("(?<=[a-z0-9])(?=[A-Z])"), found);
    String module = file.path().substring(0, file.path().indexOf("/src/"));
    if (!modulesTypes.computeIfAbsent(module, _ -> new TreeSet<>()).add(type)) {
      found.add(file.path() + ": " + module + " has another type of this name");
    }
  }

  private static void checkWords(String path, String name, String[] words, List<String> found) {
    Arrays.stream(words)
        .map(word -> word.toLowerCase(Locale.ROOT))
        .filter(BANNED_WORDS::contains)
        .forEach(word -> found.add(path + ": " + name + " has the word " + word));
  }

  private static void checkCommand(ClassModel model, List<String> found) {
    String name = model.thisClass().asInternalName();
    boolean isCommand =
        model
            .findAttribute(Attributes.runtimeVisibleAnnotations())
            .map(RuntimeVisibleAnnotationsAttribute::annotations)
            .orElse(List.of())
            .stream()
            .anyMatch(annotation -> annotation.className().equalsString(COMMAND));
    if (isCommand && !name.endsWith("Command") && !name.endsWith("/Main")) {
      found.add(name + " is a command and does not end in Command");
    }
  }

  /** Where main sources, scripts, SQL and documentation use a banned phrase: path and line. */
  static List<String> phrases(Collection<TrackedFile> files) {
    List<String> found = new ArrayList<>();
    for (TrackedFile file : files) {
      if (!isText(file)) {
        continue;
      }
      List<String> lines = file.lines();
      for (int i = 0; i < lines.size(); i++) {
        Matcher phrase = BANNED_PHRASES.matcher(lines.get(i));
        while (phrase.find()) {
          found.add(file.path() + ":" + (i + 1) + " " + phrase.group());
        }
      }
    }
    return found;
  }

  private static boolean isText(TrackedFile file) {
    return file.isMainJava()
        || file.path().matches(".*/src/main/resources/.*\\.(sql|lua|xml)")
        || file.path().matches("(docs/.*|README)\\.md|config/.*\\.yaml|tollgate|pom\\.xml");
  }
}
