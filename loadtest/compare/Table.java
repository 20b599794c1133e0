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

  private static final Figure DISK_P50 =
      new Figure("disk", "", report -> number(report, "/p50"));
  private static final Figure DISK_P99 =
      new Figure("disk", "", report -> number(report, "/p99"));

  private static final List<Figure> FIGURES =
      List.of(
          cpu("steady", "plain", "plain, 500/s: CPU us/request"),
          added("steady", "plain, 500/s: added p50 us", "plain", "latency", "p50"),
          added("steady", "plain, 500/s: added p99 us", "plain", "latency", "p99"),
          cpu("high", "plain", "plain, high rate: CPU us/request"),
          added("high", "plain, high rate: added p99 us", "plain", "latency", "p99"),
          cpu("prompt", "plain", "32 KiB prompt, a quarter of that rate: CPU us/request"),
          added("fresh", "new streams: first token added p50 us", "stream", "first_token", "p50"),
          added("fresh", "new streams: first token added p99 us", "stream", "first_token", "p99"),
          first("fresh", "new streams: first token p99 us, the provider's time included"),
          cpu("standing", "streams", "paced streams: CPU us/event"),
          delay("standing", "paced streams: delay per event p50 us", "p50"),
          delay("standing", "paced streams: delay per event p99 us", "p99"),
          cpu("bulk", "stream", "bulk streams: CPU us/event"),
          of("many", "many slow streams: open at the worst moment", "streams", "streams_sustained"),
          new Figure("many", "many slow streams: frames lost or changed", Table::framesWrong),
          resident("many", "streams", "many slow streams: RSS MB"),
          resident("bodies", "plain", "150 kB bodies: RSS MB"),
          of("bodies", "150 kB bodies: answered", "plain", "target/answered"),
          new Figure("store", "PostgreSQL beside it: CPU us/request", Table::storeMicros),
          new Figure("start", "start to ready ms", report -> number(report, "/ready_ms")));

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

  private static Figure of(String row, String title, String scenario, String member) {
    return new Figure(row, title, report -> number(report, "/scenarios/" + scenario + "/" + member));
  }

  private static Figure cpu(String row, String scenario, String title) {
    String each = scenario.equals("plain") ? "request" : "event";
    return of(row, title, scenario, "process/cpu_us_per_" + each);
  }

  private static Figure resident(String row, String scenario, String title) {
    String pointer = "/scenarios/" + scenario + "/process/rss_bytes_max";
    return new Figure(row, title, report -> number(report, pointer) / 1e6);
  }

  private static Figure added(
      String row, String title, String scenario, String what, String quantile) {
    return of(row, title, scenario, "added_us/" + what + "/" + quantile);
  }

  private static Figure first(String row, String title) {
    return of(row, title, "stream", "target/first_token_us/p99");
  }

  private static Figure delay(String row, String title, String quantile) {
    return of(row, title, "streams", "target/event_delay_us/" + quantile);
  }

  private static double storeMicros(JsonNode report) {
    return number(report, "/cpu_us_per_request");
  }

  private static double framesWrong(JsonNode report) {
    JsonNode frames = report.at("/scenarios/streams/target/frames");
    double wrong = 0;
    for (String how : List.of("lost", "repeated", "changed")) {
      wrong += number(frames, "/" + how);
    }
    return wrong;
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
    String disk = "disk: fdatasync p50 %.0f us, p99 %.0f us (medians)";
    remarks.add(disk.formatted(median(DISK_P50, "disk"), median(DISK_P99, "disk")));
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
