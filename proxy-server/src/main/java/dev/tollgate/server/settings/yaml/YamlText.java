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
 * Reads YAML into nodes that know their line and column. Values stay text: what {@code off} or
 * {@code 1e3} means is decided by the setting, not by YAML. Messages never repeat the text itself,
 * which may hold a secret.
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

  /** The root of {@code text}; empty where it is no YAML, which is then among the problems. */
  public static Optional<Node> parse(String file, String text, Problems problems) {
    var reading = new YamlText(file, problems);
    try {
      var root = new Yaml(options()).compose(new StringReader(text));
      if (root == null) {
        return Optional.of(new Node.Mapping(Map.of(), new Place.InFile(file, 1, 1)));
      }
      return reading.convert(root, "", 0);
    } catch (MarkedYAMLException e) {
      Mark mark = e.getProblemMark();
      problems.add(
          mark == null ? new Place.InFile(file, 1, 1) : reading.place(mark), "", explain(e));
    } catch (YAMLException e) {
      problems.add(
          new Place.InFile(file, 1, 1), "", "not valid YAML: too deep, too long or binary");
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

  /** The parser's own words, where they cannot hold a piece of the file. */
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

  private Optional<Node> convert(org.yaml.snakeyaml.nodes.Node node, String path, int depth) {
    Place place = place(node.getStartMark());
    if (depth > DEPTH_MAX || ++nodes > NODES_MAX) {
      problems.add(place, path, "too deeply nested, or an alias inside itself");
      return Optional.empty();
    }
    if (node.getTag().getValue().startsWith("!")) {
      problems.add(
          place, path, "YAML tags are not supported (a value that starts with ! needs quotes)");
      return Optional.empty();
    }
    return switch (node) {
      case ScalarNode scalar ->
          Optional.of(
              new Node.Scalar(
                  scalar.getValue(),
                  scalar.isPlain() ? Node.Origin.PLAIN : Node.Origin.QUOTED,
                  place));
      case SequenceNode sequence -> Optional.of(convertItems(sequence, place, path, depth));
      case MappingNode mapping -> Optional.of(convertEntries(mapping, place, path, depth));
      default -> throw new AssertionError("YAML has three kinds of nodes");
    };
  }

  private Node convertItems(SequenceNode sequence, Place place, String path, int depth) {
    List<Node> items = new ArrayList<>();
    for (int i = 0; i < sequence.getValue().size(); i++) {
      convert(sequence.getValue().get(i), path + "[" + i + "]", depth + 1).ifPresent(items::add);
    }
    return new Node.Sequence(items, place);
  }

  private Node convertEntries(MappingNode mapping, Place place, String path, int depth) {
    Map<String, Node.Entry> entries = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      Place keyPlace = place(tuple.getKeyNode().getStartMark());
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        problems.add(keyPlace, path, "a key must be a plain word");
        continue;
      }
      String name = key.getValue();
      String keyPath = Paths.join(path, name);
      if (key.getTag().equals(Tag.MERGE)) {
        problems.add(keyPlace, keyPath, "merge keys are not supported; write the keys out");
        continue;
      }
      Node.Entry earlier = entries.get(name);
      if (earlier != null) {
        problems.add(keyPlace, keyPath, "given twice, first at " + earlier.keyPlace());
        continue;
      }
      convert(tuple.getValueNode(), keyPath, depth + 1)
          .ifPresent(value -> entries.put(name, new Node.Entry(name, keyPlace, value)));
    }
    return new Node.Mapping(entries, place);
  }

  private Place place(Mark mark) {
    return new Place.InFile(file, mark.getLine() + 1, mark.getColumn() + 1);
  }
}
