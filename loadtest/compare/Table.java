import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The table of a comparison: medians of the rounds, and their ratio to nginx where that ran. {@code
 * java Table.java FOLDER PEER...}, where the folder has the reports as {@code ROUND.ROW.PEER.json}.
 */
final class Table {
  private static final double BUSY_MAX = 0.9;
  private static final String BASE = "nginx";

  private record Figure(String row, String title, ToDoubleFunction<JsonNode> of) {}

  private static final List<Figure> FIGURES =
      List.of(
          cpu("steady", "plain, 500/s: CPU us/request", "cpu_us_per_request"),
          added("steady", "plain, 500/s: added p50 us", "plain", "latency", "p50"),
          added("steady", "plain, 500/s: added p99 us", "plain", "latency", "p99"),
          cpu("high", "plain, high rate: CPU us/request", "cpu_us_per_request"),
          added("high", "plain, high rate: added p99 us", "plain", "latency", "p99"),
          cpu("prompt", "32 KiB prompt: CPU us/request", "cpu_us_per_request"),
          added("fresh", "new streams: first token added p50 us", "stream", "first_token", "p50"),
          added("fresh", "new streams: first token added p99 us", "stream", "first_token", "p99"),
          cpu("standing", "paced streams: CPU us/event", "cpu_us_per_event"),
          new Figure(
              "standing",
              "paced streams: delay per event p99 us",
              report -> number(report, "/scenarios/streams/target/event_delay_us/p99")));

  private final Path folder;
  private final ObjectMapper json = new ObjectMapper();
  private final List<String> remarks = new ArrayList<>();

  private Table(Path folder) {
    this.folder = folder;
  }

  public static void main(String[] arguments) throws IOException {
    var table = new Table(Path.of(arguments[0]));
    System.out.print(table.of(List.of(arguments).subList(1, arguments.length)));
  }

  private static Figure cpu(String row, String title, String member) {
    String scenario = row.equals("standing") ? "streams" : "plain";
    return new Figure(
        row, title, report -> number(report, "/scenarios/" + scenario + "/process/" + member));
  }

  private static Figure added(
      String row, String title, String scenario, String what, String quantile) {
    String pointer = "/scenarios/" + scenario + "/added_us/" + what + "/" + quantile;
    return new Figure(row, title, report -> number(report, pointer));
  }

  private static double number(JsonNode report, String pointer) {
    return report.at(pointer).asDouble(Double.NaN);
  }

  private String of(List<String> peers) throws IOException {
    var out = new StringBuilder("| |");
    peers.forEach(peer -> out.append(' ').append(peer).append(" |"));
    out.append("\n|---|").append("---|".repeat(peers.size())).append('\n');
    for (Figure figure : FIGURES) {
      Map<String, Double> medians = new LinkedHashMap<>();
      for (String peer : peers) {
        medians.put(peer, median(figure, peer));
      }
      out.append("| ").append(figure.title()).append(" |");
      medians.values().forEach(each -> out.append(cell(each, medians.get(BASE))));
      out.append('\n');
    }
    new TreeSet<>(remarks).forEach(each -> out.append("\n- ").append(each));
    return out.append(remarks.isEmpty() ? "" : "\n").toString();
  }

  private static String cell(double value, Double base) {
    if (Double.isNaN(value)) {
      return " – |";
    }
    String number = String.format(Locale.ROOT, value < 100 ? " %.1f" : " %.0f", value);
    boolean compared = base != null && base > 0 && value > 0;
    return number + (compared ? String.format(Locale.ROOT, " (%.2f) |", value / base) : " |");
  }

  private double median(Figure figure, String peer) throws IOException {
    List<Double> values = new ArrayList<>();
    for (Path file : reports(figure.row(), peer)) {
      JsonNode report = json.readTree(file.toFile());
      double value = figure.of().applyAsDouble(report);
      if (!Double.isNaN(value)) {
        values.add(value);
      }
      remark(figure, peer, report);
    }
    values.sort(null);
    return values.isEmpty() ? Double.NaN : values.get(values.size() / 2);
  }

  private void remark(Figure figure, String peer, JsonNode report) {
    for (JsonNode scenario : report.path("scenarios")) {
      long failed = scenario.at("/target/failed").asLong();
      if (failed > 0) {
        long asked = scenario.at("/target/asked").asLong();
        remarks.add("%s, %s: %d of %d failed".formatted(figure.row(), peer, failed, asked));
      }
      if (scenario.path("driver_busy").asDouble() > BUSY_MAX) {
        remarks.add("%s, %s: void, the load was too busy".formatted(figure.row(), peer));
      }
    }
  }

  private List<Path> reports(String row, String peer) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches("\\d+\\." + row + "\\." + peer + "\\.json"))
          .sorted()
          .toList();
    }
  }
}
