package dev.tollgate.server.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows as a table, CSV and JSON. */
class RowPrinterTest {
  private static ObjectNode row() {
    ObjectNode row =
        RowPrinter.row()
            .put("name", "a, \"b\"")
            .put("note", "=1+1")
            .put("cost_micro", -1_500_000)
            .putNull("until");
    row.putArray("models").add("x/y").add("x/z");
    return row;
  }

  private static String print(OutputFormat format) {
    var text = new StringWriter();
    new RowPrinter(new PrintWriter(text, true), format)
        .print(List.of(row()), "name", "note", "cost_micro", "until", "models");
    return text.toString();
  }

  @Test
  void csvHasTheColumnsOfTheTableAndTheValuesOfJson() {
    assertThat(print(OutputFormat.csv))
        .isEqualToNormalizingNewlines(
            """
            name,note,cost_micro,until,models
            "a, ""b""\",'=1+1,-1500000,,"x/y,x/z"
            """);
  }

  @Test
  void aTableIsAlignedAndInUsd() {
    assertThat(print(OutputFormat.table))
        .isEqualToNormalizingNewlines(
            """
            NAME    NOTE  COST   UNTIL  MODELS
            a, "b"  =1+1  -1.50  -      x/y,x/z
            """);
  }

  @Test
  void anEmptyListHasAHeadInCsvAndNoItemInJson() {
    var text = new StringWriter();
    new RowPrinter(new PrintWriter(text, true), OutputFormat.csv).print(List.of(), "a", "b");
    new RowPrinter(new PrintWriter(text, true), OutputFormat.json).print(List.of(), "a", "b");
    assertThat(text.toString()).isEqualToNormalizingNewlines("a,b\n[ ]\n");
  }
}
