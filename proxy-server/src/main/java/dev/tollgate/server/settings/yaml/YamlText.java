package dev.tollgate.server.settings.yaml;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * YAML parser that returns {@link ConfigNode} trees with line and column of each node. Values stay
 * text: the setting, not YAML, gives {@code off} or {@code 1e3} a meaning. Messages never repeat
 * the text itself, which may hold a secret.
 */
public final class YamlText {
  private static final int NODES_MAX = 200_000;
  private static final int DEPTH_MAX = 40;

  private final String file;
  private final Problems problems;
  private int nodes;

  private YamlText(String file, Problems problems) {
    this.file = file;
    this.problems = problems;
  }

  /** Returns the root of {@code text}; empty if it is not valid YAML, which is reported. */
  public static Optional<ConfigNode> parse(String file, String text, Problems problems) {
    var parser = new YamlText(file, problems);
    try {
      var root = new Yaml(options()).compose(new StringReader(text));
      if (root == null) {
        return Optional.of(new ConfigNode.Mapping(Map.of(), new SourceLocation.InFile(file, 1, 1)));
      }
      return parser.convert(root, "", 0);
    } catch (MarkedYAMLException e) {
      Mark mark = e.getProblemMark();
      problems.add(
          mark == null ? new SourceLocation.InFile(file, 1, 1) : parser.location(mark),
          "",
          explain(e));
    } catch (YAMLException e) {
      problems.add(
          new SourceLocation.InFile(file, 1, 1),
          "",
          "not valid YAML: too deep, too long or binary");
    }
    return Optional.empty();
  }

  private static LoaderOptions options() {
    var options = new LoaderOptions();
    options.setMaxAliasesForCollections(1000);
    options.setNestingDepthLimit(DEPTH_MAX);
    options.setCodePointLimit(16 * 1024 * 1024);
    return options;
  }

  /** Returns a fixed explanation: a message of the parser may quote the file. */
  private static String explain(MarkedYAMLException e) {
    String problem = e.getProblem() == null ? "" : e.getProblem();
    if (problem.contains("alias")) {
      return "not valid YAML: no such anchor (a value that starts with * needs quotes)";
    }
    if (problem.startsWith("expected <block end>")) {
      return "not valid YAML: unexpected indentation or an unclosed bracket or quote above";
    }
    if (problem.startsWith("mapping values are not allowed")) {
      return "not valid YAML: a key is not allowed here (a value that holds ': ' needs quotes)";
    }
    if (problem.contains("'\\t") || problem.contains("TAB")) {
      return "not valid YAML: tabs cannot indent, use spaces";
    }
    if (problem.startsWith("found unexpected end of stream")) {
      return "not valid YAML: the file ends inside quotes or brackets";
    }
    if (problem.contains("document")) {
      return "not valid YAML: more than one document";
    }
    return "not valid YAML (special characters need quotes, and so does ${…} inside { } or [ ])";
  }

  private Optional<ConfigNode> convert(org.yaml.snakeyaml.nodes.Node node, String path, int depth) {
    SourceLocation location = location(node.getStartMark());
    if (depth > DEPTH_MAX || ++nodes > NODES_MAX) {
      problems.add(location, path, "too deeply nested, or an alias inside itself");
      return Optional.empty();
    }
    if (node.getTag().getValue().startsWith("!")) {
      problems.add(
          location, path, "YAML tags are not supported (a value that starts with ! needs quotes)");
      return Optional.empty();
    }
    return switch (node) {
      case ScalarNode scalar ->
          Optional.of(
              new ConfigNode.Scalar(
                  scalar.getValue(),
                  scalar.isPlain() ? ConfigNode.Origin.PLAIN : ConfigNode.Origin.QUOTED,
                  location));
      case SequenceNode sequence -> Optional.of(convertItems(sequence, location, path, depth));
      case MappingNode mapping -> Optional.of(convertEntries(mapping, location, path, depth));
      default -> throw new AssertionError("YAML has three kinds of nodes");
    };
  }

  private ConfigNode convertItems(
      SequenceNode sequence, SourceLocation location, String path, int depth) {
    List<ConfigNode> items = new ArrayList<>();
    for (int i = 0; i < sequence.getValue().size(); i++) {
      convert(sequence.getValue().get(i), path + "[" + i + "]", depth + 1).ifPresent(items::add);
    }
    return new ConfigNode.Sequence(items, location);
  }

  private ConfigNode convertEntries(
      MappingNode mapping, SourceLocation location, String path, int depth) {
    Map<String, ConfigNode.Entry> entries = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      SourceLocation keyLocation = location(tuple.getKeyNode().getStartMark());
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        problems.add(keyLocation, path, "a key must be a plain word");
        continue;
      }
      String name = key.getValue();
      String keyPath = SettingPaths.join(path, name);
      if (key.getTag().equals(Tag.MERGE)) {
        problems.add(keyLocation, keyPath, "merge keys are not supported; write the keys out");
        continue;
      }
      ConfigNode.Entry earlier = entries.get(name);
      if (earlier != null) {
        problems.add(keyLocation, keyPath, "given twice, first at " + earlier.keyLocation());
        continue;
      }
      convert(tuple.getValueNode(), keyPath, depth + 1)
          .ifPresent(value -> entries.put(name, new ConfigNode.Entry(name, keyLocation, value)));
    }
    return new ConfigNode.Mapping(entries, location);
  }

  private SourceLocation location(Mark mark) {
    return new SourceLocation.InFile(file, mark.getLine() + 1, mark.getColumn() + 1);
  }
}
