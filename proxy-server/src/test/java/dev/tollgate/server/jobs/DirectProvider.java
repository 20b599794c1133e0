package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.blob.SignedUrl;
import dev.tollgate.server.mock.media.MediaJobs;
import dev.tollgate.server.mock.media.MediaReply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** The mock provider without a network between, under a test's clock. */
class DirectProvider implements MediaProvider {
  final MediaJobs jobs = new MediaJobs(Duration.ofSeconds(10));
  private final JobBook clock;

  DirectProvider(JobBook clock) {
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
  public Submitted submit(MediaTarget target, ClaimedJob job) {
    byte[] body =
        SubmissionBody.of(
            target, job, name -> new SignedUrl("https://kept.test/" + name, Instant.MAX));
    return switch (call("POST", "/v1/media/jobs", "", job.id().toString(), body)) {
      case MediaReply.Json json when json.status() == 200 ->
          new Submitted.Accepted(idOf(json.body()));
      case MediaReply.Json json when json.status() == 503 -> new Submitted.NotTaken("busy");
      case MediaReply.Json json -> {
        var why = ProviderJson.refusal(json.body().getBytes(UTF_8));
        yield new Submitted.Refused(why.code(), why.message());
      }
      case MediaReply.File _, MediaReply.Closed _, MediaReply.Silence _ ->
          new Submitted.Unknown("the answer was lost");
    };
  }

  private static String idOf(String body) {
    return body.replaceAll(".*?\"id\":\"([^\"]+)\".*", "$1");
  }

  @Override
  public Seen lookUp(MediaTarget target, ClaimedJob job) {
    String query = "idempotency_key=" + job.id();
    return seen(call("GET", "/v1/media/jobs", query, "", new byte[0]));
  }

  @Override
  public Seen look(MediaTarget target, String providerJob) throws InterruptedException {
    return seen(call("GET", "/" + providerJob));
  }

  private static Seen seen(MediaReply reply) {
    if (reply instanceof MediaReply.Json json && json.status() == 200) {
      return ProviderJson.seen(json.body().getBytes(UTF_8));
    }
    boolean isAbsent = reply instanceof MediaReply.Json json && json.status() == 404;
    return isAbsent ? new Seen.Absent() : new Seen.Unknown("as told");
  }

  @Override
  public Canceled cancel(MediaTarget target, String providerJob) {
    MediaReply reply = call("DELETE", "/" + providerJob);
    if (!(reply instanceof MediaReply.Json json)) {
      return new Canceled.Unknown("as told");
    }
    return switch (json.status()) {
      case 404 -> new Canceled.Absent();
      case 409 -> new Canceled.Refused();
      default -> new Canceled.Done();
    };
  }

  @Override
  public Fetched fetch(MediaTarget target, String providerJob, int n, Spool into) {
    if (!(call("GET", "/" + providerJob + "/files/" + n) instanceof MediaReply.File file)) {
      return new Fetched.Absent();
    }
    try {
      into.clear();
      byte[] bytes = Arrays.copyOf(file.bytes().array(), file.sentBytes());
      boolean isCut = file.sentBytes() < file.bytes().limit();
      return switch (into.add(List.of(ByteBuffer.wrap(bytes)))) {
        case TOO_LARGE -> new Fetched.TooLarge();
        case NO_ROOM -> new Fetched.Unknown("no room");
        case TAKEN -> isCut ? new Fetched.Unknown("cut") : new Fetched.Whole(file.contentType());
      };
    } catch (IOException e) {
      return new Fetched.Unknown(e.toString());
    }
  }
}
