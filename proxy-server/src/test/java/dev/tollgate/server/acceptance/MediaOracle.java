package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of the results that owners received with the provider's state, the ledger and the
 * received webhooks.
 */
record MediaOracle(OwnDatabase database, int mockPort, WebhookReceiver receiver) {
  /** Micro-USD of a job that succeeded. */
  private static final long COST = 1_000;

  private static final String ROWS =
      """
      SELECT concat_ws('|', j.id, j.status, j.cost_micro, (j.removed_at IS NOT NULL)::text,
        (SELECT count(*) FROM settlement s WHERE s.request_id = j.request_id),
        (SELECT coalesce(sum(s.cost_micro), -1) FROM settlement s
          WHERE s.request_id = j.request_id),
        (SELECT count(*) FROM lease l WHERE l.holder = 'job:' || j.id AND l.state = 'closed'),
        (SELECT count(*) FROM lease l WHERE l.holder = 'job:' || j.id AND l.state <> 'closed'),
        (SELECT count(*) FROM media_artifact a WHERE a.job_id = j.id),
        coalesce((SELECT string_agg(w.id || ' ' || w.event || ' ' || w.state, ',')
          FROM webhook_event w WHERE w.job_id = j.id), '-'))
      FROM media_job j""";

  /** A job in the database, with its charge and its webhook event. */
  private record Row(
      String status,
      long cost,
      boolean removed,
      long settlements,
      long settledCost,
      long closedLeases,
      long openLeases,
      long artifacts,
      String event) {
    static Row of(String[] columns) {
      return new Row(
          columns[1],
          Long.parseLong(columns[2]),
          columns[3].equals("true"),
          Long.parseLong(columns[4]),
          Long.parseLong(columns[5]),
          Long.parseLong(columns[6]),
          Long.parseLong(columns[7]),
          Long.parseLong(columns[8]),
          columns[9]);
    }
  }

  void compare(List<MediaOwner> owners) throws Exception {
    Map<String, Row> rows = new HashMap<>();
    for (String row : database.texts(ROWS)) {
      String[] columns = row.split("\\|");
      rows.put(columns[0], Row.of(columns));
    }
    Map<String, JsonNode> provided = provided();
    var soft = new SoftAssertions();
    Set<String> ownedJobs = owners.stream().map(MediaOwner::job).collect(Collectors.toSet());
    soft.assertThat(rows.keySet()).as("jobs in the database").isEqualTo(ownedJobs);
    soft.assertThat(ownedJobs).as("jobs that owners received").hasSameSizeAs(owners);
    soft.assertThat(ownedJobs).as("jobs that were announced").containsAll(receiver.jobs());
    soft.assertThat(ownedJobs).as("jobs of the provider").containsAll(provided.keySet());
    for (MediaOwner owner : owners) {
      Row row = rows.get(owner.job());
      if (row != null) {
        String name = owner.play() + " " + owner.job();
        requireEnd(soft, name, owner, row);
        requireMoney(soft, name, row);
        requireProvider(soft, name, row, provided.get(owner.job()));
        requireAnnounced(soft, name, owner.job(), row);
      }
    }
    long spent =
        COST * rows.values().stream().filter(row -> row.status.equals("succeeded")).count();
    soft.assertThat(sum("used_micro")).as("spent").isEqualTo(spent);
    soft.assertThat(sum("leased_micro")).as("held").isZero();
    soft.assertAll();
  }

  private static void requireEnd(SoftAssertions soft, String name, MediaOwner owner, Row row) {
    soft.assertThat(row.status).as(name).isEqualTo(owner.play().end());
    if (!owner.removed()) {
      soft.assertThat(owner.status()).as("%s, as its owner saw it", name).isEqualTo(row.status);
    }
    soft.assertThat(row.removed).as("%s is removed", name).isEqualTo(owner.removed());
    soft.assertThat(owner.made()).as("%s was made anew", name).isLessThanOrEqualTo(1);
    boolean isKept = row.status.equals("succeeded") && !row.removed;
    soft.assertThat(row.artifacts).as("files of %s", name).isEqualTo(isKept ? 1 : 0);
  }

  /** Settled or released exactly once. */
  private static void requireMoney(SoftAssertions soft, String name, Row row) {
    soft.assertThat(row.cost).as(name).isEqualTo(row.status.equals("succeeded") ? COST : 0);
    soft.assertThat(row.settlements).as("settlements of %s", name).isEqualTo(1);
    soft.assertThat(row.settledCost).as("settled of %s", name).isEqualTo(row.cost);
    soft.assertThat(row.closedLeases).as("leases of %s", name).isPositive();
    soft.assertThat(row.openLeases).as("open leases of %s", name).isZero();
  }

  private static void requireProvider(
      SoftAssertions soft, String name, Row row, @Nullable JsonNode its) {
    if (its == null) {
      soft.assertThat(row.status).as("%s, unknown to the provider", name).isNotEqualTo("succeeded");
      return;
    }
    soft.assertThat(its.path("submissions").asInt()).as("submissions of %s", name).isEqualTo(1);
    String end =
        switch (row.status) {
          case "canceled", "expired" -> "cancelled";
          default -> row.status;
        };
    soft.assertThat(its.path("status").asText()).as("%s, at the provider", name).isEqualTo(end);
  }

  /** At least once, always as one event; of a job that was removed soon possibly not at all. */
  private void requireAnnounced(SoftAssertions soft, String name, String job, Row row) {
    Set<WebhookReceiver.ReceivedEvent> events = receiver.of(job);
    if (!Set.of("succeeded", "failed").contains(row.status)) {
      soft.assertThat(events).as("%s, announced", name).isEmpty();
      soft.assertThat(row.event).as("event of %s", name).isEqualTo("-");
      return;
    }
    String kind = row.status.equals("succeeded") ? "job.completed" : "job.failed";
    for (WebhookReceiver.ReceivedEvent each : events) {
      soft.assertThat(each.kind()).as(name).isEqualTo(kind);
      soft.assertThat(each.status()).as(name).isEqualTo(row.status);
    }
    if (row.event.equals("-")) {
      soft.assertThat(row.removed).as("%s without an event", name).isTrue();
      soft.assertThat(events).as("%s, announced", name).hasSizeLessThanOrEqualTo(1);
    } else {
      soft.assertThat(events).as("%s, announced", name).hasSize(1);
      String event = events.stream().map(WebhookReceiver.ReceivedEvent::event).findAny().orElse("");
      soft.assertThat(row.event).as(name).isEqualTo(event + " " + kind + " delivered");
    }
  }

  /** Returns the provider's jobs, by our ids. */
  private Map<String, JsonNode> provided() {
    Map<String, JsonNode> jobs = new HashMap<>();
    try (RawClient client = RawClient.connect(mockPort)) {
      JsonNode all = Json.tree(client.get("/_mock/jobs").readResponse().text()).path("jobs");
      all.forEach(job -> jobs.put(job.path("key").asText(), job));
    }
    assertThat(jobs).isNotEmpty();
    return jobs;
  }

  private long sum(String column) throws Exception {
    return database.number(
        "SELECT sum(" + column + ") FROM scope_account WHERE scope_id LIKE 'org:%'");
  }
}
