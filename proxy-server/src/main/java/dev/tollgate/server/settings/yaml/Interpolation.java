package dev.tollgate.server.settings.yaml;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces <code>${NAME}</code>, <code>${NAME:-default}</code>, <code>${NAME:?message}</code> and
 * <code>${file:/run/secrets/x}</code> inside scalar values, and {@code $$} by {@code $}. It works
 * on the parsed tree, so that what is put in can never become structure.
 */
public final class Interpolation {
  private static final Pattern VARIABLE =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)(?:(:-|:\\?)(.*))?", Pattern.DOTALL);
  private static final String FILE = "file:";

  private final Surroundings surroundings;
  private final Path folder;
  private final Problems problems;

  /** Paths of secret files start at {@code folder}. */
  public Interpolation(Surroundings surroundings, Path folder, Problems problems) {
    this.surroundings = surroundings;
    this.folder = folder;
    this.problems = problems;
  }

  public Node.Mapping resolve(Node.Mapping mapping, String path) {
    Map<String, Node.Entry> entries = new LinkedHashMap<>();
    for (Node.Entry entry : mapping.entries().values()) {
      Node value = resolve(entry.value(), Paths.join(path, entry.key()));
      entries.put(entry.key(), new Node.Entry(entry.key(), entry.keyPlace(), value));
    }
    return new Node.Mapping(entries, mapping.place());
  }

  /** The tree with every scalar resolved; what cannot be resolved is reported and marked broken. */
  public Node resolve(Node node, String path) {
    return switch (node) {
      case Node.Mapping mapping -> resolve(mapping, path);
      case Node.Sequence sequence -> {
        List<Node> items = new ArrayList<>();
        for (int i = 0; i < sequence.items().size(); i++) {
          items.add(resolve(sequence.items().get(i), Paths.item(path, i)));
        }
        yield new Node.Sequence(items, sequence.place());
      }
      case Node.Scalar scalar -> resolve(scalar, path);
    };
  }

  private Node.Scalar resolve(Node.Scalar scalar, String path) {
    if (!scalar.mayBeShown() || scalar.text().indexOf('$') < 0) {
      return scalar;
    }
    var text = new StringBuilder();
    var origin = scalar.origin();
    String rest = scalar.text();
    for (int dollar = rest.indexOf('$'); dollar >= 0; dollar = rest.indexOf('$')) {
      text.append(rest, 0, dollar);
      rest = rest.substring(dollar + 1);
      if (rest.startsWith("$")) {
        text.append('$');
        rest = rest.substring(1);
      } else if (rest.startsWith("{")) {
        int end = rest.indexOf('}');
        Found found = end < 0 ? new Found.Refused("${ without }") : look(rest.substring(1, end));
        switch (found) {
          case Found.Text put -> text.append(put.text());
          case Found.Refused refused -> {
            problems.add(scalar.place(), path, refused.message());
            return new Node.Scalar("", Node.Origin.BROKEN, scalar.place());
          }
        }
        origin = Node.Origin.OUTSIDE;
        rest = rest.substring(end + 1);
      } else {
        text.append('$');
      }
    }
    return new Node.Scalar(text.append(rest).toString(), origin, scalar.place());
  }

  private sealed interface Found {
    record Text(String text) implements Found {}

    record Refused(String message) implements Found {}
  }

  private Found look(String inside) {
    if (inside.startsWith(FILE)) {
      return readFile(inside.substring(FILE.length()));
    }
    Matcher matcher = VARIABLE.matcher(inside);
    if (!matcher.matches()) {
      return new Found.Refused(
          "${…} holds neither NAME, NAME:-default, NAME:?message nor file:path ($$ is a plain $)");
    }
    String name = matcher.group(1);
    String operator = matcher.group(2) == null ? "" : matcher.group(2);
    String operand = matcher.group(3) == null ? "" : matcher.group(3);
    if (operand.contains("${")) {
      return new Found.Refused("${" + name + "…} holds another ${…}, which is not supported");
    }
    String value = surroundings.environment().get(name);
    if (value != null && (operator.isEmpty() || !value.isEmpty())) {
      return new Found.Text(value);
    }
    return switch (operator) {
      case ":-" -> new Found.Text(operand);
      case ":?" -> new Found.Refused(operand.isBlank() ? name + " is not set" : operand);
      default -> new Found.Refused("the environment variable " + name + " is not set");
    };
  }

  private Found readFile(String name) {
    try {
      String text = surroundings.files().read(folder.resolve(name));
      String trimmed = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
      return new Found.Text(
          trimmed.endsWith("\r") ? trimmed.substring(0, trimmed.length() - 1) : trimmed);
    } catch (IOException | RuntimeException e) {
      return new Found.Refused("the file " + name + " cannot be read as text");
    }
  }
}
