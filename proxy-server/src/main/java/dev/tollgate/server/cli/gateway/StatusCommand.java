package dev.tollgate.server.cli.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.cli.gateway.AdminClient.AdminResponse;
import dev.tollgate.server.cli.output.OutputFormat;
import dev.tollgate.server.cli.output.RowPrinter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command {@code tollgate status}: prints the state of a running gateway and of its providers. */
@Command(
    name = "status",
    description = "Show the gateway's state and its providers.",
    mixinStandardHelpOptions = true)
public final class StatusCommand extends AdminCommand {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String[] COLUMNS = {
    "provider", "endpoint", "connections", "leases", "pending"
  };

  @Option(names = "-o", paramLabel = OutputFormat.NAMES, description = "Output format.")
  private OutputFormat output = OutputFormat.table;

  @Override
  AdminResponse send(AdminClient client) throws AdminClient.AdminUnreachableException {
    String state = client.get("/readyz").body().strip();
    AdminResponse providers = client.get("/providers");
    if (!providers.isSuccess()) {
      return new AdminResponse(providers.status(), state + "\n" + providers.body());
    }
    try {
      JsonNode list = JSON.readTree(providers.body()).path("providers");
      return new AdminResponse(
          200,
          switch (output) {
            case json -> json(state, list);
            case csv -> rows(OutputFormat.csv, list);
            case table -> "state: " + state + "\n" + rows(OutputFormat.table, list);
          });
    } catch (JsonProcessingException e) {
      return new AdminResponse(500, "the gateway did not answer with JSON: " + providers.body());
    }
  }

  private static String json(String state, JsonNode providers) throws JsonProcessingException {
    ObjectNode tree = JSON.createObjectNode().put("state", state);
    tree.set("providers", providers);
    return JSON.writeValueAsString(tree);
  }

  private static String rows(OutputFormat format, JsonNode providers) {
    List<ObjectNode> rows = new ArrayList<>();
    providers.forEach(each -> rows.add((ObjectNode) each));
    var text = new StringWriter();
    new RowPrinter(new PrintWriter(text, true), format).print(rows, COLUMNS);
    return text.toString();
  }
}
