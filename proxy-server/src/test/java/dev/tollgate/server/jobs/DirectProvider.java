package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.mock.media.MediaJobs;
import dev.tollgate.mock.media.MediaReply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** Mock provider without a network, under a test's clock. */
class DirectProvider implements MediaProvider {
  final MediaJobs jobs = new MediaJobs(Duration.ofSeconds(10));
  private final InMemoryJobStore clock;

  DirectProvider(InMemoryJobStore clock) {
    this.clock = clock;
  }

  private MediaReply call(String method, String path, String query, String key, byte[] body) {
    var call = new MediaJobs.Call(method, path, query, key, ByteBuffer.wrap(body));
    return jobs.answer(call, clock.now().toNanos());
  }

  private MediaReply call(String method, String rest) {
    return call(method, "/v1/media/jobs" + rest, "", "", new byte[0]);
  }

  @Override
  public SubmissionResult submit(MediaTarget target, ClaimedJob job) {
    byte[] body =
        SubmissionBody.of(
            target, job, name -> new SignedUrl("https://kept.test/" + name, Instant.MAX));
    return switch (call("POST", "/v1/media/jobs", "", job.id().toString(), body)) {
      case MediaReply.Json json when json.status() == 200 ->
          new SubmissionResult.Accepted(idOf(json.body()));
      case MediaReply.Json json when json.status() == 503 -> new SubmissionResult.NotTaken("busy");
      case MediaReply.Json json -> {
        var why = ProviderJson.readError(json.body().getBytes(UTF_8));
        yield new SubmissionResult.Refused(why.code(), why.message());
      }
      case MediaReply.File _, MediaReply.Closed _, MediaReply.NoResponse _ ->
          new SubmissionResult.Unknown("the answer was lost");
    };
  }

  private static String idOf(String body) {
    return body.replaceAll(".*?\"id\":\"([^\"]+)\".*", "$1");
  }

  @Override
  public ProviderJobState findSubmitted(MediaTarget target, ClaimedJob job) {
    String query = "idempotency_key=" + job.id();
    return seen(call("GET", "/v1/media/jobs", query, "", new byte[0]));
  }

  @Override
  public ProviderJobState query(MediaTarget target, String providerJob)
      throws InterruptedException {
    return seen(call("GET", "/" + providerJob));
  }

  private static ProviderJobState seen(MediaReply reply) {
    if (reply instanceof MediaReply.Json json && json.status() == 200) {
      return ProviderJson.state(json.body().getBytes(UTF_8));
    }
    boolean isAbsent = reply instanceof MediaReply.Json json && json.status() == 404;
    return isAbsent ? new ProviderJobState.Absent() : new ProviderJobState.Unknown("on request");
  }

  @Override
  public CancelResult cancel(MediaTarget target, String providerJob) {
    MediaReply reply = call("DELETE", "/" + providerJob);
    if (!(reply instanceof MediaReply.Json json)) {
      return new CancelResult.Unknown("on request");
    }
    return switch (json.status()) {
      case 404 -> new CancelResult.Absent();
      case 409 -> new CancelResult.Refused();
      default -> new CancelResult.Done();
    };
  }

  @Override
  public FileFetchResult fetch(MediaTarget target, String providerJob, int n, Spool into) {
    if (!(call("GET", "/" + providerJob + "/files/" + n) instanceof MediaReply.File file)) {
      return new FileFetchResult.Absent();
    }
    try {
      into.clear();
      byte[] bytes = Arrays.copyOf(file.bytes().array(), file.sentBytes());
      boolean isCut = file.sentBytes() < file.bytes().limit();
      return switch (into.add(List.of(ByteBuffer.wrap(bytes)))) {
        case TOO_LARGE -> new FileFetchResult.TooLarge();
        case NO_ROOM -> new FileFetchResult.Unknown("no room");
        case ACCEPTED ->
            isCut
                ? new FileFetchResult.Unknown("cut")
                : new FileFetchResult.Whole(file.contentType());
      };
    } catch (IOException e) {
      return new FileFetchResult.Unknown(e.toString());
    }
  }
}
