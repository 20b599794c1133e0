package dev.tollgate.server.settings.yaml;

import dev.tollgate.server.settings.yaml.ProcessEnvironment.FileText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces references to environment variables and files in YAML scalars: <code>${NAME}</code>,
 * <code>${NAME:-default}</code>, <code>${NAME:?message}</code> and <code>${file:/run/secrets/x}
 * </code>. {@code $$} stands for {@code $}. It works on the parsed tree, so that an inserted text
 * can never become structure.
 */
public final class Interpolation {
  private static final Pattern VARIABLE =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)(?:(:-|:\\?)(.*))?", Pattern.DOTALL);
  private static final String FILE = "file:";

  private final ProcessEnvironment environment;
  private final Path folder;
  private final Problems problems;

  /** Paths of secret files are relative to {@code folder}. */
  public Interpolation(ProcessEnvironment environment, Path folder, Problems problems) {
    this.environment = environment;
    this.folder = folder;
    this.problems = problems;
  }

  public ConfigNode.Mapping resolve(ConfigNode.Mapping mapping, String path) {
    Map<String, ConfigNode.Entry> entries = new LinkedHashMap<>();
    for (ConfigNode.Entry entry : mapping.entries().values()) {
      ConfigNode value = resolve(entry.value(), SettingPaths.join(path, entry.key()));
      entries.put(entry.key(), new ConfigNode.Entry(entry.key(), entry.keyLocation(), value));
    }
    return new ConfigNode.Mapping(entries, mapping.location());
  }

  /** Returns the tree with every scalar resolved; failures are reported and marked as invalid. */
  public ConfigNode resolve(ConfigNode node, String path) {
    return switch (node) {
      case ConfigNode.Mapping mapping -> resolve(mapping, path);
      case ConfigNode.Sequence sequence -> {
        List<ConfigNode> items = new ArrayList<>();
        for (int i = 0; i < sequence.items().size(); i++) {
          items.add(resolve(sequence.items().get(i), SettingPaths.item(path, i)));
        }
        yield new ConfigNode.Sequence(items, sequence.location());
      }
      case ConfigNode.Scalar scalar -> resolve(scalar, path);
    };
  }

  private ConfigNode.Scalar resolve(ConfigNode.Scalar scalar, String path) {
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
        Resolution found =
            end < 0
                ? new Resolution.Refused("${ without }")
                : resolveReference(rest.substring(1, end));
        switch (found) {
          case Resolution.Text put -> text.append(put.text());
          case Resolution.Refused refused -> {
            problems.add(scalar.location(), path, refused.message());
            return new ConfigNode.Scalar("", ConfigNode.Origin.INVALID, scalar.location());
          }
        }
        origin = ConfigNode.Origin.EXTERNAL;
        rest = rest.substring(end + 1);
      } else {
        text.append('$');
      }
    }
    return new ConfigNode.Scalar(text.append(rest).toString(), origin, scalar.location());
  }

  private sealed interface Resolution {
    record Text(String text) implements Resolution {}

    record Refused(String message) implements Resolution {}
  }

  private Resolution resolveReference(String reference) {
    if (reference.startsWith(FILE)) {
      return readFile(reference.substring(FILE.length()));
    }
    Matcher matcher = VARIABLE.matcher(reference);
    if (!matcher.matches()) {
      return new Resolution.Refused(
          "${…} holds neither NAME, NAME:-default, NAME:?message nor file:path ($$ is a plain $)");
    }
    String name = matcher.group(1);
    String operator = matcher.group(2) == null ? "" : matcher.group(2);
    String operand = matcher.group(3) == null ? "" : matcher.group(3);
    if (operand.contains("${")) {
      return new Resolution.Refused("${" + name + "…} holds another ${…}, which is not supported");
    }
    String value = environment.variables().get(name);
    if (value != null && (operator.isEmpty() || !value.isEmpty())) {
      return new Resolution.Text(value);
    }
    return switch (operator) {
      case ":-" -> new Resolution.Text(operand);
      case ":?" -> new Resolution.Refused(operand.isBlank() ? name + " is not set" : operand);
      default -> new Resolution.Refused("the environment variable " + name + " is not set");
    };
  }

  private Resolution readFile(String name) {
    Path file;
    try {
      file = folder.resolve(name);
    } catch (InvalidPathException e) {
      return new Resolution.Refused("${file:…} holds no path");
    }
    return switch (environment.read(file)) {
      case FileText.Content(String text) -> {
        String trimmed = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        yield new Resolution.Text(
            trimmed.endsWith("\r") ? trimmed.substring(0, trimmed.length() - 1) : trimmed);
      }
      case FileText.Unreadable(String reason) ->
          new Resolution.Refused("the file " + name + " cannot be read: " + reason);
    };
  }
}
