package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.cli.output.OutputFormat;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.control.route.ControlJson;
import dev.tollgate.server.control.route.RequestReport;
import dev.tollgate.server.explorer.OrgKeys;
import dev.tollgate.server.explorer.RequestDetail;
import dev.tollgate.server.explorer.RequestDetails;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Command {@code tollgate requests show}: prints one request with its attempts, its phases and the
 * arithmetic of its charge, as the control plane replies it.
 */
@Command(
    name = "show",
    description = "Show a request with its attempts, its phases and how its cost was computed.",
    mixinStandardHelpOptions = true)
final class ShowRequestCommand extends TenantCommand {
  private static final int PICO_DIGITS = 12;
  private static final int MICRO_DIGITS = 6;

  @Parameters(paramLabel = "ID", description = "The request's id, as in the reply's header.")
  private String id = "";

  @Override
  void run(Settings settings, Store store) throws SQLException, CommandFailedException {
    var details = new RequestDetails(store.pool(), settings.ledger().retention().requests().time());
    RequestDetail found =
        details
            .find(null, id)
            .orElseThrow(() -> new CommandFailedException("there is no request " + id));
    var report =
        RequestReport.of(
            found,
            details.arithmetic(found, true).orElse(null),
            new OrgKeys(store.pool()).names(found.row().org(), Set.of(found.row().key().value())),
            true);
    ObjectNode reply = (ObjectNode) ControlJson.tree(report);
    if (format() == OutputFormat.table) {
      printTables(reply);
    } else {
      rows().print(reply);
    }
  }

  private void printTables(ObjectNode reply) {
    rows().print(fields(reply));
    printTable(reply.path("attempts"), "provider", "outcome", "status", "at_ms", "ms", "reason");
    printTable(reply.path("phases"), "phase", "at_ms");
    if (reply.path("arithmetic") instanceof ObjectNode arithmetic) {
      printArithmetic(arithmetic);
    }
  }

  /** Returns the fields that are neither lists nor empty; the key by its id and name. */
  private static ObjectNode fields(ObjectNode reply) {
    ObjectNode fields = RowPrinter.row();
    reply
        .properties()
        .forEach(
            field -> {
              JsonNode value = field.getValue();
              if (value.isValueNode() && !value.isNull()) {
                fields.set(field.getKey(), value);
              }
            });
    JsonNode key = reply.path("key");
    fields.put("key", key.path("id").asText() + " " + key.path("name").asText(""));
    reply.path("routing").properties().forEach(part -> fields.set(part.getKey(), part.getValue()));
    return fields;
  }

  private void printTable(JsonNode list, String... columns) {
    if (!list.isEmpty()) {
      List<ObjectNode> lines = new ArrayList<>();
      list.forEach(line -> lines.add((ObjectNode) line));
      out().println();
      rows().print(lines, columns);
    }
  }

  /** Prints what was used, at which price, and what it came to, line by line. */
  private void printArithmetic(ObjectNode arithmetic) {
    for (JsonNode line : arithmetic.path("lines")) {
      ((ObjectNode) line)
          .put("price_usd", usd(line.path("price_pico"), PICO_DIGITS))
          .put("usd", usd(line.path("pico"), PICO_DIGITS));
    }
    printTable(arithmetic.path("lines"), "part", "unit", "quantity", "price_usd", "usd");
    out().println();
    ObjectNode sum =
        RowPrinter.row()
            .put("sum_usd", usd(arithmetic.path("total_pico"), PICO_DIGITS))
            .put("rounded_usd", usd(arithmetic.path("rounded_micro"), MICRO_DIGITS))
            .put("matches_the_charge", arithmetic.path("matches").asBoolean());
    int part = 0;
    for (JsonNode prices : arithmetic.path("priced_as")) {
      sum.put("prices_of_part_" + part++, priceSheet(prices));
    }
    rows().print(sum);
    arithmetic.path("notes").forEach(note -> out().println(note.asText()));
  }

  private static String priceSheet(JsonNode prices) {
    long above = prices.path("above_prompt_tokens").asLong();
    String sheet = "sheet " + prices.path("sheet").asText();
    return above == 0 ? sheet : sheet + ", above " + above + " prompt tokens";
  }

  private static String usd(JsonNode number, int digits) {
    return new BigDecimal(number.bigIntegerValue(), digits).stripTrailingZeros().toPlainString();
  }
}
