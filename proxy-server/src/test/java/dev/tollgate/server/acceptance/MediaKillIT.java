package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.acceptance.CrashingNodes.NodeSpec;
import dev.tollgate.server.cli.Verbs;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Owners submit, follow, cancel and remove jobs over three nodes that are killed at random and
 * started again; the provider loses responses, is busy, refuses and fails, and some jobs expire.
 * Each job ends once, is submitted once, is charged once and is announced by one webhook event.
 * Three kills here, two thousand jobs in ten minutes of kills in the soak profile.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class MediaKillIT {
  private static final int JOBS = Integer.getInteger("tollgate.media.jobs", 42);
  private static final int KILLS = Integer.getInteger("tollgate.media.kills", 3);
  private static final int KILL_EVERY_MILLIS = Integer.getInteger("tollgate.media.pause", 1_500);
  private static final int ENDED_WITHIN_SECONDS = 120;

  @TempDir private Path objects = Path.of("");

  @Test
  void everyJobEndsOnceWhicheverNodeIsKilled() throws Exception {
    try (MockProvider mock = MockProvider.start(MockProfile.DEFAULT, 0);
        WebhookReceiver receiver = WebhookReceiver.start();
        OwnDatabase database = OwnDatabase.create("media_kill");
        NodeFolder one = NodeFolder.with(setup(mock, receiver));
        NodeFolder two = NodeFolder.with(setup(mock, receiver));
        NodeFolder three = NodeFolder.with(setup(mock, receiver))) {
      List<String> hasty = new ArrayList<>(database.settings());
      hasty.add("media.job_ttl=4s");
      List<NodeSpec> places =
          List.of(
              new NodeSpec(one, database.settings()),
              new NodeSpec(two, database.settings()),
              new NodeSpec(three, hasty));
      List<MediaOwner> owners;
      Spans took;
      try (CrashingNodes nodes = CrashingNodes.start(places, receiver.trusted());
          HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
        long began = System.nanoTime();
        owners = runOwners(new MediaOwner.Means(http, nodes, nodes.key(), receiver.url()));
        long ended = System.nanoTime();
        awaitNone(database, "webhook_event WHERE state = 'pending'");
        awaitNone(
            database,
            "media_artifact a JOIN media_job j ON j.id = a.job_id WHERE j.removed_at IS NOT NULL");
        took = new Spans(ended - began, System.nanoTime() - ended);
        nodes.awaitStarts();
      }
      new MediaOracle(database, mock.port(), receiver).compare(owners);
      requireFiles(database);
      Verbs.CommandResult audit = database.runVerb(three, "ledger", "audit");
      assertThat(audit.exitCode()).as(audit.out() + audit.err()).isZero();
      keep(owners, receiver, took);
    }
  }

  /** Nanoseconds. */
  private record Spans(long runs, long rest) {}

  private ConfigBuilder setup(MockProvider mock, WebhookReceiver receiver) {
    return ConfigBuilder.empty()
        .openAi("media", mock.baseUrl(), "none")
        .section("media", Map.of("mock_provider", true, "lease", "2s"))
        .section("object_storage", Map.of("directory", objects.toString()))
        .section(
            "webhooks", Map.of("timeout", "2s", "schedule", List.of("0s", "1s", "1s", "2s", "4s")))
        .urlsHere(receiver.port())
        .video("test/video", new ConfigBuilder.Route("media", "asked"));
  }

  /** Runs the owners, which start one after the other, while nodes are killed. */
  private static List<MediaOwner> runOwners(MediaOwner.Means means) throws Exception {
    List<MediaOwner> owners =
        IntStream.range(0, JOBS).mapToObj(n -> new MediaOwner(n, means)).toList();
    List<Future<?>> runs = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int n = 0; n < JOBS; n++) {
        MediaOwner owner = owners.get(n);
        int from = Math.toIntExact((long) KILLS * KILL_EVERY_MILLIS * n / JOBS);
        runs.add(
            threads.submit(
                () -> {
                  CrashingNodes.pause(from);
                  owner.run();
                  return owner;
                }));
      }
      for (int kill = 0; kill < KILLS; kill++) {
        CrashingNodes.pause(
            KILL_EVERY_MILLIS / 2 + ThreadLocalRandom.current().nextInt(KILL_EVERY_MILLIS));
        means.nodes().kill();
      }
      for (Future<?> run : runs) {
        var _ = run.get();
      }
    }
    return owners;
  }

  private static void awaitNone(OwnDatabase database, String rows) throws Exception {
    for (int waits = 0; ; waits++) {
      long left = database.number("SELECT count(*) FROM " + rows);
      if (left == 0) {
        return;
      }
      assertThat(waits / 10)
          .as("seconds with %d of %s", left, rows)
          .isLessThan(ENDED_WITHIN_SECONDS);
      CrashingNodes.pause(100);
    }
  }

  /** Files stored by a killed node may exist too: they are deleted when they expire. */
  private void requireFiles(OwnDatabase database) throws Exception {
    List<String> keys = database.texts("SELECT blob_key FROM media_artifact");
    try (Stream<Path> files = Files.walk(objects)) {
      List<String> there = files.map(file -> file.getFileName().toString()).toList();
      assertThat(keys)
          .isNotEmpty()
          .allSatisfy(
              key -> {
                String name = key.substring(key.lastIndexOf('/') + 1);
                assertThat(there).anyMatch(file -> file.endsWith(name));
              });
    }
  }

  private static void keep(List<MediaOwner> owners, WebhookReceiver receiver, Spans took)
      throws Exception {
    List<MediaOwner> slowest =
        owners.stream()
            .sorted(Comparator.comparing(MediaOwner::duration).reversed())
            .limit(3)
            .toList();
    RecordedFigures.keep(
        "media-kill",
        "%d jobs, 3 nodes, %d kills, %d s, and %d s until all webhooks had ended, %d requests sent again, %d webhooks of %d jobs: each job submitted, ended, charged and announced once; the slowest: %s"
            .formatted(
                JOBS,
                KILLS,
                took.runs() / 1_000_000_000,
                took.rest() / 1_000_000_000,
                owners.stream().mapToInt(MediaOwner::repeated).sum(),
                receiver.calls(),
                receiver.jobs().size(),
                slowest.stream()
                    .map(owner -> owner.play() + " " + owner.duration().toMillis() + " ms")
                    .collect(Collectors.joining(", "))));
  }
}
