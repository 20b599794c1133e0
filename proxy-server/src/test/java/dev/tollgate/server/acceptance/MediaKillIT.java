package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.server.mock.MockProfile;
import dev.tollgate.server.mock.MockProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Three nodes work at the same jobs and are killed in the middle of it; their provider loses
 * answers, is busy, and fails. Each job ends once, is submitted once and is charged once. Some
 * dozen jobs and two kills here, two thousand jobs in ten minutes of kills in the soak profile.
 */
@Execution(ExecutionMode.CONCURRENT)
class MediaKillIT {
  private static final int JOBS = Integer.getInteger("tollgate.media.jobs", 48);
  private static final int KILLS = Integer.getInteger("tollgate.media.kills", 2);
  private static final int NODES = 3;
  private static final int ENDED_WITHIN_SECONDS = 120;
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private static final List<String> BEHAVIOURS =
      List.of(
          "m?takes=300ms",
          "m?takes=900ms",
          "fault/job-lost-answer?takes=200ms",
          "fault/job-busy:1?takes=100ms",
          "fault/job-looks-fail:2?takes=100ms",
          "fault/file-late:1?takes=100ms",
          "fault/file-slow:2?takes=100ms",
          "fault/job-fails-running?takes=400ms",
          "fault/job-refused");

  @TempDir private Path objects = Path.of("");
  private final Random random = new Random();

  @Test
  void everyJobEndsOnceWhoeverIsKilled() throws Exception {
    try (MockProvider mock = MockProvider.start(MockProfile.DEFAULT, 0);
        OwnDatabase database = OwnDatabase.create("media_kill");
        Folder one = Folder.with(setup(mock));
        Folder two = Folder.with(setup(mock));
        Folder three = Folder.with(setup(mock))) {
      List<Folder> folders = List.of(one, two, three);
      String[] sets = database.settings().toArray(String[]::new);
      List<Binary> nodes = new ArrayList<>();
      long began;
      long endedMillis;
      try {
        nodes.addAll(started(folders, sets));
        began = System.nanoTime();
        for (int kill = 0; kill < KILLS; kill++) {
          submit(database, JOBS * kill / KILLS, JOBS * (kill + 1) / KILLS);
          await(200 + random.nextInt(500));
          int victim = kill % (NODES - 1);
          nodes.get(victim).kill();
          if (KILLS > NODES) {
            nodes.set(victim, Binary.start(folders.get(victim), sets));
          }
        }
        awaitAllEnded(database);
        endedMillis = (System.nanoTime() - began) / 1_000_000;
      } finally {
        nodes.forEach(Binary::close);
      }
      requireEachOnce(database);
      requireSubmittedOnce(mock);
      requireFiles(database);
      List<String> audit = database.command(three, "ledger", "audit");
      Program.Said said = Program.run(audit.toArray(String[]::new));
      assertThat(said.exitCode()).as(said.out() + said.err()).isZero();
      Figures.keep(
          "media-kill",
          "%d jobs, %d nodes, %d kills, %d ms: %d succeeded, %d failed, each submitted and ended once"
              .formatted(
                  JOBS,
                  NODES,
                  KILLS,
                  endedMillis,
                  count(database, "succeeded"),
                  count(database, "failed")));
    }
  }

  /** All at once: whichever is first makes the tables. */
  private static List<Binary> started(List<Folder> folders, String... sets) throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Binary>> starts = new ArrayList<>();
      folders.forEach(folder -> starts.add(() -> Binary.start(folder, sets)));
      List<Binary> nodes = new ArrayList<>();
      for (Future<Binary> node : threads.invokeAll(starts)) {
        nodes.add(node.get());
      }
      return nodes;
    }
  }

  private Setup setup(MockProvider mock) {
    return Setup.empty()
        .openAi("media", mock.baseUrl(), "none")
        .section("media", Map.of("mock_provider", true, "lease", "1s"))
        .section("object_storage", Map.of("directory", objects.toString()))
        .model(
            "test/video",
            Map.of(
                "modality",
                "video",
                "default_duration_seconds",
                1,
                "price",
                Map.of("video_second", "0.001"),
                "routes",
                List.of(Map.of("provider", "media", "model", "asked"))));
  }

  /** As the API does, and as often as wanted in a moment. */
  private static void submit(OwnDatabase database, int from, int to) throws Exception {
    for (int n = from; n < to; n++) {
      String params =
          "{\"model\":\"test/video\",\"prompt\":\"p\",\"duration_seconds\":1,"
              + "\"resolution\":\"64x64\",\"x_mock\":\"%s\"}"
                  .formatted(BEHAVIOURS.get(n % BEHAVIOURS.size()));
      UUID id = UUID.randomUUID();
      RequestId request = RequestId.at(System.currentTimeMillis());
      long made =
          database.number(
              """
              SELECT count(*) FROM job_submit('%s', (SELECT id FROM organization),
                (SELECT id FROM api_key), '%s', '%s', 'video', '%s', sha256('%s'), interval '1 day',
                'video', 'test/video', 'media', '%s', 'https://receiver.test/', '{}', 1500, 1500,
                interval '1 hour', NULL, NULL) WHERE answer = 'made'"""
                  .formatted(
                      id,
                      request,
                      LocalDate.ofInstant(
                          Instant.ofEpochMilli(request.epochMillis()), ZoneOffset.UTC),
                      id,
                      id,
                      params));
      assertThat(made).isEqualTo(1);
    }
  }

  private static void awaitAllEnded(OwnDatabase database) throws Exception {
    for (int waits = 0; ; waits++) {
      long open = database.number("SELECT count(*) FROM media_job WHERE completed_at IS NULL");
      if (open == 0) {
        return;
      }
      assertThat(waits / 10).as("seconds with %d open jobs", open).isLessThan(ENDED_WITHIN_SECONDS);
      await(100);
    }
  }

  private static long count(OwnDatabase database, String status) throws Exception {
    return database.number("SELECT count(*) FROM media_job WHERE status = '" + status + "'");
  }

  private static void requireEachOnce(OwnDatabase database) throws Exception {
    long refused = JOBS / BEHAVIOURS.size() * 2L + Math.max(0, JOBS % BEHAVIOURS.size() - 7);
    assertThat(count(database, "failed")).isEqualTo(refused);
    assertThat(count(database, "succeeded")).isEqualTo(JOBS - refused);
    requireNone(
        database,
        "media_job j WHERE (SELECT count(*) FROM settlement s"
            + " WHERE s.request_id = j.request_id AND s.cost_micro = j.cost_micro) <> 1");
    requireNone(
        database,
        "media_job j WHERE cost_micro <> CASE status WHEN 'succeeded' THEN 1000 ELSE 0 END");
    requireNone(database, "lease WHERE holder LIKE 'job:%' AND state <> 'closed'");
    assertThat(database.number("SELECT count(*) FROM webhook_event")).isEqualTo(JOBS);
  }

  private static void requireNone(OwnDatabase database, String rows) throws Exception {
    assertThat(database.number("SELECT count(*) FROM " + rows)).as(rows).isZero();
  }

  private static void requireSubmittedOnce(MockProvider mock) throws Exception {
    try (RawClient client = RawClient.connect(mock.port())) {
      JsonNode all = Json.tree(client.get("/_mock/jobs").readResponse().text()).path("jobs");
      assertThat(all).isNotEmpty();
      assertThat(all).allSatisfy(job -> assertThat(job.path("submissions").asInt()).isEqualTo(1));
    }
  }

  /** What a killed node had stored already may be there too: it goes when it is over. */
  private void requireFiles(OwnDatabase database) throws Exception {
    List<String> keys = database.texts("SELECT blob_key FROM media_artifact");
    assertThat(keys).hasSize((int) count(database, "succeeded"));
    try (var files = Files.walk(objects)) {
      List<String> there = files.map(file -> file.getFileName().toString()).toList();
      assertThat(keys)
          .allSatisfy(
              key -> {
                String name = key.substring(key.lastIndexOf('/') + 1);
                assertThat(there).anyMatch(file -> file.endsWith(name));
              });
    }
  }

  private static void await(int millis) throws InterruptedException {
    NEVER.await(millis, TimeUnit.MILLISECONDS);
  }
}
