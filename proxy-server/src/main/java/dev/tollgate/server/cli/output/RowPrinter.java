package dev.tollgate.server.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.money.MicroUsd;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Printer of database rows for CLI commands, as a table for people or as JSON or CSV for programs.
 * As JSON a row has all its fields, with amounts in micro-USD; a table has amounts in USD, and a
 * list has some columns only. CSV has the columns of the table with the names and values of JSON.
 */
public final class RowPrinter {
  private static final String MONEY_SUFFIX = "_micro";
  private static final int STREAMED_WIDTH = 16;

  private final PrintWriter out;
  private final OutputFormat format;

  public RowPrinter(PrintWriter out, OutputFormat format) {
    this.out = out;
    this.format = format;
  }

  public static ObjectNode row() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Loaded by what parses JSON: it takes longer than most commands run. */
  private static final class Parser {
    static final ObjectMapper JSON = new ObjectMapper();
  }

  /** Returns a record that was stored as JSON. */
  public static ObjectNode parsed(String object) {
    try {
      return (ObjectNode) Parser.JSON.readTree(object);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the store contains invalid JSON", e);
    }
  }

  /** Prints a list; a table and CSV have these {@code columns}. */
  public void print(List<ObjectNode> rows, String... columns) {
    switch (format) {
      case json -> out.println(JsonNodeFactory.instance.arrayNode().addAll(rows).toPrettyString());
      case csv -> {
        printHead(columns);
        rows.forEach(row -> printLine(row, columns));
      }
      case table -> printTable(rows, columns);
    }
  }

  private void printTable(List<ObjectNode> rows, String... columns) {
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

  /** Prints the head of an endless list; prints nothing for JSON. */
  public void printHead(String... columns) {
    switch (format) {
      case json -> {}
      case csv -> out.println(String.join(",", columns));
      case table ->
          out.println(streamedLine(List.of(columns).stream().map(RowPrinter::title).toList()));
    }
  }

  /** Prints a row of an endless list; as JSON one object. */
  public void printLine(ObjectNode row, String... columns) {
    out.println(
        switch (format) {
          case json -> row.toString();
          case csv -> csv(row, List.of(columns));
          case table -> streamedLine(List.of(columns).stream().map(c -> cell(c, row)).toList());
        });
  }

  private static String csv(ObjectNode row, List<String> columns) {
    return columns.stream()
        .map(column -> quoted(row.path(column)))
        .collect(Collectors.joining(","));
  }

  /**
   * Returns a field of CSV, quoted where needed. A text that a spreadsheet would take for a formula
   * begins with an apostrophe.
   */
  private static String quoted(JsonNode value) {
    String text = value.isNull() ? "" : plain(value);
    String safe = value.isTextual() && text.matches("(?s)[=+\\-@\t\r].*") ? "'" + text : text;
    return safe.matches("(?s).*[\",\r\n].*") ? '"' + safe.replace("\"", "\"\"") + '"' : safe;
  }

  /** Returns a value as text: the items of a list with commas, an object as JSON. */
  private static String plain(JsonNode value) {
    if (value.isArray()) {
      return StreamSupport.stream(value.spliterator(), false)
          .map(RowPrinter::plain)
          .collect(Collectors.joining(","));
    }
    return value.isObject() ? value.toString() : value.asText();
  }

  /** Returns a line with padded cells of a width that fits most values. */
  private static String streamedLine(List<String> cells) {
    int[] widths = cells.stream().mapToInt(_ -> STREAMED_WIDTH).toArray();
    return aligned(cells, widths);
  }

  /** Prints one record, a field per line. */
  public void print(ObjectNode row) {
    List<String> names = new ArrayList<>();
    row.fieldNames().forEachRemaining(names::add);
    switch (format) {
      case json -> out.println(row.toPrettyString());
      case csv -> print(List.of(row), names.toArray(String[]::new));
      case table -> printFields(row, names);
    }
  }

  private void printFields(ObjectNode row, List<String> names) {
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
    return field.endsWith(MONEY_SUFFIX) ? new MicroUsd(value.asLong()).toUsd() : plain(value);
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
}
