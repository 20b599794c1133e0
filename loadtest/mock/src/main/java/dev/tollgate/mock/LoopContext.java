package dev.tollgate.mock;

import dev.tollgate.mock.MockModel.Parsed.Known;
import dev.tollgate.mock.MockRequest.Audio;
import dev.tollgate.mock.MockRequest.Operation;
import dev.tollgate.mock.MockRequest.Pictures;
import dev.tollgate.mock.MockRequest.Vectors;
import dev.tollgate.mock.media.MediaJobs;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * State shared by the mock provider's connections on one event loop: the pacer, the request reader,
 * and a cache of encoded replies. Confined to its loop.
 */
final class LoopContext {
  private static final long KEPT_BYTES_MAX =
      Math.min(128L * 1024 * 1024, PlatformDependent.maxDirectMemory() / 4);

  private static final Pattern EARLY =
      Pattern.compile("\"model\"\\s*:\\s*\"([^\"]*fault/early[^\"]*)\"");

  private final EventLoop loop;
  private final MockModels models;
  private final MockCounters counters;
  private final MediaJobs jobs;
  private final Pacer pacer;
  private final RequestReader reader = new RequestReader();
  private final Map<PlanKey, ReplyPlan> plans = new HashMap<>();
  private long keptBytes;

  LoopContext(EventLoop loop, MockModels models, MockCounters counters, MediaJobs jobs) {
    this.loop = loop;
    this.models = models;
    this.counters = counters;
    this.jobs = jobs;
    this.pacer = new Pacer(loop);
  }

  /** Cache key of a plan: the request, and whether the fault applies to it. */
  private record PlanKey(MockRequest request, boolean faulty) {}

  Pacer pacer() {
    return pacer;
  }

  RequestReader reader() {
    return reader;
  }

  MockCounters counters() {
    return counters;
  }

  /**
   * Answers the request that the reader has just read. The caller owns one reference to the plan.
   */
  Answer answer() {
    assert loop.inEventLoop();
    boolean post = reader.method().equals("POST");
    String path = reader.path();
    if (MediaJobs.serves(path)) {
      return jobs();
    }
    if (post && path.endsWith("/chat/completions")) {
      return generate(Operation.CHAT);
    }
    if (post && path.endsWith("/completions")) {
      return generate(Operation.COMPLETION);
    }
    if (post && path.endsWith("/embeddings")) {
      return generate(Operation.EMBEDDING);
    }
    if (post && path.endsWith("/audio/speech")) {
      return generate(Operation.SPEECH);
    }
    if (post && path.endsWith("/audio/transcriptions")) {
      return generate(Operation.TRANSCRIPTION);
    }
    if (post && path.matches(".*/images/(generations|edits)")) {
      return generate(Operation.IMAGE);
    }
    String picture = ImageText.file(path);
    if (picture != null) {
      return simple("200 OK", "image/png", picture);
    }
    if (path.endsWith("/models")) {
      return simple("200 OK", models.listJson());
    }
    if (path.equals("/_mock/stats")) {
      return simple("200 OK", counters.stats().json(System.nanoTime()));
    }
    if (path.equals("/_mock/jobs")) {
      return simple("200 OK", jobs.json(System.nanoTime()));
    }
    if (post && path.equals("/_mock/reset")) {
      counters.reset();
      models.reset();
      jobs.reset();
      return simple("200 OK", "{}");
    }
    return refuse("404 Not Found", "The path does not exist.", "not_found");
  }

  /**
   * Returns the answer to a request of which only this part of the body has arrived, or null if the
   * rest is needed.
   */
  @Nullable Answer earlyAnswer(String bodyStart) {
    assert loop.inEventLoop();
    Matcher named = EARLY.matcher(bodyStart);
    if (!named.find() || !(models.named(named.group(1)) instanceof Known known)) {
      return null;
    }
    String name = named.group(1);
    var request =
        new MockRequest(
            Operation.CHAT,
            name,
            false,
            false,
            -1,
            null,
            false,
            0,
            Vectors.NONE,
            Audio.NONE,
            Pictures.NONE,
            null,
            true);
    return known.model().isEarly() ? generate(request, known.model()) : null;
  }

  /**
   * Reply plan for a request, with the requested model; the model is empty if the request is not a
   * generation.
   */
  record Answer(ReplyPlan plan, String model) {}

  Answer malformed() {
    return refuse("400 Bad Request", "The request is not HTTP.", "bad_request");
  }

  /** Releases the cached plans. */
  void close() {
    assert loop.inEventLoop();
    plans.values().forEach(ReplyPlan::release);
    plans.clear();
    keptBytes = 0;
  }

  private Answer jobs() {
    var call =
        new MediaJobs.Call(
            reader.method(),
            reader.path(),
            reader.query(),
            reader.idempotencyKey(),
            ByteBuffer.wrap(reader.body(), 0, reader.bodyBytes()));
    return new Answer(MediaPlan.of(jobs.answer(call, System.nanoTime()), reader.keepAlive()), "");
  }

  private Answer generate(Operation operation) {
    byte[] body = reader.body();
    boolean isForm =
        operation == Operation.TRANSCRIPTION
            || (operation == Operation.IMAGE && reader.bodyBytes() > 0 && body[0] == '-');
    MockRequest request =
        isForm
            ? FormScan.scan(operation, body, reader.bodyBytes(), reader.host(), reader.keepAlive())
            : RequestScan.scan(
                operation, body, reader.bodyBytes(), reader.host(), reader.keepAlive());
    if (request == null) {
      return refuse("400 Bad Request", "The body has no model.", "missing_model");
    }
    if (operation == Operation.IMAGE && !isSupported(request)) {
      return refuse("400 Bad Request", "The requested image is not supported.", "invalid_value");
    }
    return switch (models.named(request.model())) {
      case MockModel.Parsed.Unknown unknown ->
          refuse(
              "404 Not Found",
              "The model `%s` does not exist: %s.".formatted(request.model(), unknown.reason()),
              "model_not_found");
      case Known known -> generate(request, known.model());
    };
  }

  /**
   * True unless the size is not supported, or the model always returns base64 and the request sets
   * {@code response_format}.
   */
  private static boolean isSupported(MockRequest request) {
    boolean isKnown =
        !request.pictures().formatGiven() || !ImageText.returnsBase64Only(request.model());
    return isKnown && request.pictures().width() > 0;
  }

  private Answer generate(MockRequest request, MockModel model) {
    MockRequest effective = model.tool() ? request.withRequiredTool() : request;
    PlanKey key = new PlanKey(effective, model.faultIsDue(System.nanoTime()));
    ReplyPlan kept = plans.get(key);
    if (kept != null) {
      return new Answer(kept.retain(), effective.model());
    }
    ReplyDraft draft = new ReplyDraft(effective, model.profile());
    if (key.faulty()) {
      model.applyFault(draft);
    }
    ReplyPlan plan = PlanEncoder.encode(draft, model.batch());
    keep(key, plan);
    return new Answer(plan, effective.model());
  }

  private void keep(PlanKey key, ReplyPlan plan) {
    if (plan.bytes() > KEPT_BYTES_MAX / 2) {
      return;
    }
    if (keptBytes + plan.bytes() > KEPT_BYTES_MAX) {
      close();
    }
    keptBytes += plan.bytes();
    plans.put(key, plan.retain());
  }

  private Answer refuse(String status, String message, String code) {
    return simple(status, StatusFault.error(message, "invalid_request_error", "null", code));
  }

  private Answer simple(String status, String json) {
    return simple(status, "application/json", json);
  }

  private Answer simple(String status, String type, String body) {
    String closes = reader.keepAlive() ? "" : "Connection: close\r\n";
    String head =
        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
            .formatted(status, type, body.length(), closes);
    byte[] bytes = (head + body).getBytes(StandardCharsets.ISO_8859_1);
    ReplyEnding ending = reader.keepAlive() ? ReplyEnding.KEEP_ALIVE : ReplyEnding.FIN;
    ReplyPlan plan =
        new ReplyPlan(
            Unpooled.directBuffer(bytes.length).writeBytes(bytes),
            new int[] {bytes.length},
            new long[1],
            new int[1],
            0,
            ending,
            0,
            0);
    return new Answer(plan, "");
  }
}
