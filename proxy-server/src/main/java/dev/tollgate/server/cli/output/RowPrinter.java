package dev.tollgate.server.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.money.MicroUsd;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Printer of database rows for CLI commands, as a table for people or as JSON for programs. As JSON
 * a row has all its fields, with amounts in micro-USD; a table has amounts in USD, and a list has
 * some columns only.
 */
public final class RowPrinter {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MONEY_SUFFIX = "_micro";
  private static final int STREAMED_WIDTH = 16;

  private final PrintWriter out;
  private final boolean json;

  public RowPrinter(PrintWriter out, boolean json) {
    this.out = out;
    this.json = json;
  }

  public static ObjectNode row() {
    return JSON.createObjectNode();
  }

  /** Returns a record that was stored as JSON. */
  public static ObjectNode parsed(String object) {
    try {
      return (ObjectNode) JSON.readTree(object);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the store contains invalid JSON", e);
    }
  }

  /** Prints a list; the table has these {@code columns}. */
  public void print(List<ObjectNode> rows, String... columns) {
    if (json) {
      out.println(text(JSON.valueToTree(rows)));
      return;
    }
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of(columns).stream().map(RowPrinter::title).toList());
    for (ObjectNode row : rows) {
      lines.add(List.of(columns).stream().map(column -> cell(column, row)).toList());
    }
    int[] widths = new int[columns.length];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    lines.forEach(line -> out.println(aligned(line, widths)));
  }

  /** Prints the table head of an endless list; prints nothing for JSON. */
  public void printHead(String... columns) {
    if (!json) {
      out.println(streamedLine(List.of(columns).stream().map(RowPrinter::title).toList()));
    }
  }

  /** Prints a row of an endless list; as JSON one object. */
  public void printLine(ObjectNode row, String... columns) {
    out.println(
        json
            ? row.toString()
            : streamedLine(List.of(columns).stream().map(c -> cell(c, row)).toList()));
  }

  /** Returns a line with padded cells of a width that fits most values. */
  private static String streamedLine(List<String> cells) {
    int[] widths = cells.stream().mapToInt(_ -> STREAMED_WIDTH).toArray();
    return aligned(cells, widths);
  }

  /** Prints one record, a field per line. */
  public void print(ObjectNode row) {
    if (json) {
      out.println(text(row));
      return;
    }
    List<String> names = new ArrayList<>();
    row.fieldNames().forEachRemaining(names::add);
    int[] widths = {names.stream().mapToInt(name -> title(name).length()).max().orElse(0), 0};
    names.forEach(name -> out.println(aligned(List.of(title(name), cell(name, row)), widths)));
  }

  private static String title(String field) {
    return field.replace(MONEY_SUFFIX, "").toUpperCase(Locale.ROOT);
  }

  private static String cell(String field, ObjectNode row) {
    JsonNode value = row.path(field);
    if (value.isNull() || value.isMissingNode() || (value.isArray() && value.isEmpty())) {
      return "-";
    }
    if (value.isArray()) {
      return StreamSupport.stream(value.spliterator(), false)
          .map(JsonNode::asText)
          .collect(Collectors.joining(","));
    }
    return field.endsWith(MONEY_SUFFIX) ? new MicroUsd(value.asLong()).toUsd() : value.asText();
  }

  private static String aligned(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      // The last column of a single record is not padded.
      int padding = Math.max(0, widths[i] - cells.get(i).length());
      line.append(cells.get(i)).append(" ".repeat(padding + 2));
    }
    return line.toString().stripTrailing();
  }

  private static String text(JsonNode node) {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree can always be printed", e);
    }
  }
}
