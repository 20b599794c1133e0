package dev.tollgate.server.cli.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.cli.gateway.AdminClient.AdminResponse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command {@code tollgate status}: prints the state of a running gateway and of its providers. */
@Command(
    name = "status",
    description = "Show the gateway's state and its providers.",
    mixinStandardHelpOptions = true)
public final class StatusCommand extends AdminCommand {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ROW = "%-24s %-40s %6s %6s %7s%n";

  /** Output format of the status. */
  enum Output {
    table,
    json
  }

  @Option(names = "-o", paramLabel = "table|json", description = "Output format.")
  private Output output = Output.table;

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
            case table -> table(state, list);
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

  private static String table(String state, JsonNode providers) {
    var text = new StringBuilder("state: ").append(state).append('\n');
    text.append(ROW.formatted("PROVIDER", "ENDPOINT", "OPEN", "LEASED", "PENDING"));
    for (JsonNode each : providers) {
      text.append(
          ROW.formatted(
              each.path("provider").asText(),
              each.path("endpoint").asText(),
              each.path("connections").asText(),
              each.path("leases").asText(),
              each.path("pending").asText()));
    }
    return text.toString();
  }
}
