package dev.tollgate.mock.media;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Video and music jobs of a mock provider, with the HTTP calls that create, query and cancel them.
 * A submission carries an {@code Idempotency-Key}: an equal key is the same job, and its
 * submissions are counted. Thread-safe.
 */
public final class MediaJobs {
  private static final int JOBS_MAX = 20_000;
  private static final int PIECE_BYTES = 64 * 1024;
  private static final int SLOW_PIECE_BYTES = 4 * 1024;
  private static final int MEBIBYTE = 1 << 20;
  private static final Pattern PATH =
      Pattern.compile(".*/media/jobs(?:/([A-Za-z0-9_-]{1,64})(?:/files/(\\d{1,3}))?)?");
  private static final Pattern KEY_QUERY = Pattern.compile("(?:.*&)?idempotency_key=([^&]+).*");

  private final Duration durationDefault;
  private final Map<String, MediaJob> byId = new LinkedHashMap<>();
  private final Map<String, MediaJob> byKey = new HashMap<>();
  private final Map<String, Integer> busyRejections = new HashMap<>();

  /**
   * Creates an empty set of jobs.
   *
   * @param durationDefault from a job's acceptance to its end, unless its model's name says
   *     otherwise
   */
  public MediaJobs(Duration durationDefault) {
    this.durationDefault = durationDefault;
  }

  /**
   * HTTP request to the jobs' routes.
   *
   * @param query without the question mark; empty means none
   * @param key idempotency key; empty means none
   * @param body backed by an array, from its beginning
   */
  public record Call(String method, String path, String query, String key, ByteBuffer body) {}

  /** True if a path is one of the jobs' routes. */
  public static boolean serves(String path) {
    return path.contains("/media/jobs") && PATH.matcher(path).matches();
  }

  /** Answers a call. */
  public synchronized MediaReply answer(Call call, long nowNanos) {
    Matcher path = PATH.matcher(call.path());
    if (!path.matches()) {
      return errorReply(404, "not_found");
    }
    String id = path.group(1);
    if (id == null) {
      return switch (call.method()) {
        case "POST" -> submit(call, nowNanos);
        case "GET" -> lookUp(call.query(), nowNanos);
        default -> errorReply(405, "not_allowed");
      };
    }
    MediaJob job = byId.get(id);
    if (job == null || job.model.is(MediaFault.FORGOTTEN)) {
      return errorReply(404, "not_found");
    }
    if (path.group(2) != null) {
      return fetch(job, path.group(2), nowNanos);
    }
    return call.method().equals("DELETE") ? cancel(job, nowNanos) : poll(job, nowNanos);
  }

  private MediaReply submit(Call call, long nowNanos) {
    if (call.key().isEmpty()) {
      return errorReply(400, "idempotency_key_required");
    }
    MediaJob known = byKey.get(call.key());
    if (known != null) {
      known.submittedAgain();
      return jobReply(known, nowNanos);
    }
    try {
      MediaJobSpec request = MediaJobSpec.read(call.body().array(), call.body().limit());
      return submit(
          call.key(), request, MediaModel.parse(request.model(), durationDefault), nowNanos);
    } catch (InvalidJson e) {
      return errorReply(400, "invalid_json");
    } catch (IllegalArgumentException e) {
      return errorReply(404, "model_not_found");
    }
  }

  private MediaReply submit(String key, MediaJobSpec request, MediaModel model, long nowNanos) {
    if (model.is(MediaFault.REFUSED)) {
      return errorReply(400, "content_policy");
    }
    if (isBusy(key, model) || (byId.size() >= JOBS_MAX && !evictOldest(nowNanos))) {
      return errorReply(503, "overloaded");
    }
    busyRejections.remove(key);
    Duration length =
        model.is(MediaFault.OTHER_LENGTH) ? Duration.ofSeconds(model.k()) : request.length();
    String id = "mj_" + UUID.nameUUIDFromBytes(key.getBytes(UTF_8));
    MediaJob job = new MediaJob(id, key, request.withLength(length), model, nowNanos);
    byId.put(id, job);
    byKey.put(key, job);
    if (model.is(MediaFault.LOST_ANSWER)) {
      return new MediaReply.Closed();
    }
    return model.is(MediaFault.NO_RESPONSE) ? new MediaReply.NoResponse() : jobReply(job, nowNanos);
  }

  private boolean isBusy(String key, MediaModel model) {
    if (busyRejections.size() >= JOBS_MAX) {
      busyRejections.clear();
    }
    return model.is(MediaFault.BUSY) && busyRejections.merge(key, 1, Integer::sum) <= model.k();
  }

  /** Drops the oldest job, if it has ended. */
  private boolean evictOldest(long nowNanos) {
    MediaJob oldest = byId.values().iterator().next();
    if (!oldest.hasEnded(nowNanos)) {
      return false;
    }
    byId.remove(oldest.id);
    byKey.remove(oldest.key);
    return true;
  }

  private MediaReply lookUp(String query, long nowNanos) {
    Matcher request = KEY_QUERY.matcher(query);
    MediaJob job = request.matches() ? byKey.get(request.group(1)) : null;
    return job == null || job.model.is(MediaFault.FORGOTTEN)
        ? errorReply(404, "not_found")
        : jobReply(job, nowNanos);
  }

  private MediaReply poll(MediaJob job, long nowNanos) {
    return job.failsPoll() ? errorReply(503, "overloaded") : jobReply(job, nowNanos);
  }

  private MediaReply cancel(MediaJob job, long nowNanos) {
    return job.cancel(nowNanos) ? jobReply(job, nowNanos) : errorReply(409, "cannot_cancel");
  }

  private MediaReply fetch(MediaJob job, String number, long nowNanos) {
    boolean isThere = job.status(nowNanos) == MediaJob.Status.SUCCEEDED && number.equals("0");
    if (!isThere || job.model.is(MediaFault.NO_FILE) || job.isFileLate()) {
      return errorReply(404, "not_found");
    }
    if (job.model.is(MediaFault.HTML_FILE)) {
      byte[] page = "<!DOCTYPE html><title>Sign in</title>".getBytes(UTF_8);
      return new MediaReply.File(
          "text/html", ByteBuffer.wrap(page), page.length, PIECE_BYTES, Duration.ZERO);
    }
    byte[] bytes = job.file().bytes(job.spec);
    int sent = job.model.is(MediaFault.CUT_FILE) ? bytes.length / 2 : bytes.length;
    if (job.model.is(MediaFault.LARGE_FILE)) {
      sent = Math.max(sent, job.model.k() * MEBIBYTE);
    }
    boolean isSlow = job.model.is(MediaFault.SLOW_FILE);
    int piece = isSlow ? SLOW_PIECE_BYTES : PIECE_BYTES;
    Duration pause = isSlow ? Duration.ofMillis(job.model.k()) : Duration.ZERO;
    return new MediaReply.File(
        job.file().contentType(), ByteBuffer.wrap(bytes), sent, piece, pause);
  }

  /** Deletes all jobs. */
  public synchronized void reset() {
    byId.clear();
    byKey.clear();
    busyRejections.clear();
  }

  /** Returns every job as JSON, with its key, status, images and number of submissions. */
  public synchronized String json(long nowNanos) {
    List<Map<String, Object>> all =
        byId.values().stream().map(job -> withCounts(job, nowNanos)).toList();
    return json(Map.of("jobs", all));
  }

  private static Map<String, Object> withCounts(MediaJob job, long nowNanos) {
    Map<String, Object> members = job.members(nowNanos);
    members.put("key", job.key);
    members.put("submissions", job.submissions());
    members.put("images", job.spec.images());
    return members;
  }

  private static MediaReply jobReply(MediaJob job, long nowNanos) {
    return new MediaReply.Json(200, json(job.members(nowNanos)));
  }

  private static MediaReply errorReply(int status, String code) {
    Map<String, Object> error =
        Map.of("code", code, "message", "The mock provider answers " + status + ".");
    return new MediaReply.Json(status, json(Map.of("error", error)));
  }

  private static String json(@Nullable Object tree) {
    ByteBuf out = Unpooled.buffer();
    new JsonWriter(out).value(tree);
    return out.toString(UTF_8);
  }
}
