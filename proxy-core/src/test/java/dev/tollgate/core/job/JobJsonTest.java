package dev.tollgate.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.SignedUrl;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every field of a job and an artifact, in every state with other fields. */
final class JobJsonTest {
  private static final UUID ID = UUID.fromString("0190c5a0-0000-7000-8000-000000000001");
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
  private static final BlobName BLOB =
      new BlobName("20261129", "9f86d081884c7d65", "4".repeat(26), BlobType.MP4);
  private static final JobArtifact FILM =
      new JobArtifact(
          ID,
          JobArtifact.Type.VIDEO,
          "video/mp4",
          BLOB,
          1234,
          Optional.of(new Frame(1280, 720)),
          5.5);

  private static Job job(
      JobStatus status,
      @Nullable Integer progress,
      long cost,
      @Nullable JobFailure failure,
      @Nullable Instant end,
      JobArtifact... artifacts) {
    return new Job(
        new JobId(ID),
        new RequestId("req_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        new OrgId(ID),
        new KeyId("abcd1234"),
        JobKind.VIDEO,
        "acme/film",
        "mock",
        status,
        progress,
        new MicroUsd(150),
        new MicroUsd(200),
        new MicroUsd(cost),
        failure,
        JsonBytes.raw("{\"prompt\":\"a \\\"dog\\\"\"}"),
        end == null ? null : "https://example.com/hook",
        JsonBytes.raw("{\"a\":\"b\"}"),
        NOON,
        end == null ? null : NOON.plusMillis(1_500),
        end,
        NOON.plusSeconds(86_400),
        List.of(artifacts));
  }

  private static String text(Job job) {
    return JobJson.of(
            job,
            name -> new SignedUrl("https://files/" + name, Instant.parse("2026-11-22T13:00:00Z")))
        .toString();
  }

  @Test
  void whatWaits() {
    assertThat(text(job(JobStatus.QUEUED, null, 0, null, null)))
        .isEqualTo(
            "{\"id\":\""
                + ID
                + "\",\"object\":\"video.generation\","
                + "\"request_id\":\"req_01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"org_id\":\""
                + ID
                + "\","
                + "\"kind\":\"video\",\"model\":\"acme/film\",\"provider\":\"mock\","
                + "\"status\":\"queued\",\"progress\":null,\"estimated_cost_micro\":150,"
                + "\"max_cost_micro\":200,\"cost_micro\":0,\"error\":null,"
                + "\"params\":{\"prompt\":\"a \\\"dog\\\"\"},\"artifacts\":[],"
                + "\"webhook_url\":null,\"metadata\":{\"a\":\"b\"},"
                + "\"created_at\":\"2026-11-22T12:00:00Z\",\"started_at\":null,"
                + "\"completed_at\":null,\"expires_at\":\"2026-11-23T12:00:00Z\"}");
  }

  @Test
  void whatSucceeded() {
    assertThat(text(job(JobStatus.SUCCEEDED, 100, 120, null, NOON.plusSeconds(9), FILM)))
        .contains(
            "\"status\":\"succeeded\",\"progress\":100",
            "\"cost_micro\":120",
            "\"started_at\":\"2026-11-22T12:00:01.500Z\",\"completed_at\":\"2026-11-22T12:00:09Z\"",
            "\"artifacts\":[{\"id\":\""
                + ID
                + "\",\"type\":\"video\","
                + "\"content_type\":\"video/mp4\",\"size_bytes\":1234,\"width\":1280,"
                + "\"height\":720,\"duration_seconds\":5.5,\"url\":\"https://files/"
                + BLOB
                + "\","
                + "\"expires_at\":\"2026-11-22T13:00:00Z\"}]");
  }

  @Test
  void whatFailed() {
    JobFailure failure = JobFailure.of(ErrorCode.PROVIDER_FAILURE, "it broke");
    assertThat(text(job(JobStatus.FAILED, null, 0, failure, NOON)))
        .contains("\"error\":{\"code\":\"provider_error\",\"message\":\"it broke\"}");
  }

  @Test
  void soundHasNoFrame() {
    var sound =
        new JobArtifact(ID, JobArtifact.Type.AUDIO, "audio/mpeg", BLOB, 1, Optional.empty(), 30);
    assertThat(text(job(JobStatus.SUCCEEDED, null, 0, null, NOON, sound)))
        .contains("\"type\":\"audio\"", "\"width\":null,\"height\":null,\"duration_seconds\":30.0");
  }

  @Test
  void whatASubmissionIsAnswered() {
    assertThat(JobJson.accepted(job(JobStatus.QUEUED, null, 0, null, null)).toString())
        .isEqualTo(
            "{\"id\":\""
                + ID
                + "\",\"object\":\"video.generation\",\"status\":\"queued\","
                + "\"model\":\"acme/film\",\"created_at\":\"2026-11-22T12:00:00Z\","
                + "\"estimated_cost_micro\":150}");
  }

  @Test
  void aNameIsAUuidAndNothingElse() {
    assertThat(JobId.parse(ID.toString())).contains(new JobId(ID));
    assertThat(JobId.parse("1-1-1-1-1")).isEmpty();
    assertThat(JobId.parse(ID + "0")).isEmpty();
  }
}
