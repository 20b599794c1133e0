package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.blob.SignedUrl;
import dev.tollgate.core.blob.StoringTime;
import dev.tollgate.server.jobs.ProviderJson.Refusal;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A provider of jobs over HTTP. It goes where the configuration says and nowhere else: neither
 * through a proxy nor after a redirect.
 */
public final class HttpMediaProvider implements MediaProvider, AutoCloseable {
  private static final int ANSWER_BYTES_MAX = 256 * 1024;

  private final Times times;
  private final Function<BlobName, SignedUrl> images;
  private final HttpClient client;

  /** How long a connection, an answer and a file may take. */
  public record Times(Duration connect, Duration answer, Duration file) {
    public static final Times DEFAULT =
        new Times(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(5));

    /** The same where files may have so many bytes. */
    public static Times upTo(long fileBytes) {
      return new Times(
          DEFAULT.connect(), DEFAULT.answer(), StoringTime.of(DEFAULT.file(), fileBytes));
    }
  }

  /**
   * @param images where images that came with jobs can be fetched, from now on and for a while
   */
  public HttpMediaProvider(Times times, Function<BlobName, SignedUrl> images) {
    this.times = times;
    this.images = images;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(times.connect())
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();
  }

  @Override
  public Submitted submit(MediaTarget target, ClaimedJob job) throws InterruptedException {
    HttpRequest request =
        to(target, "")
            .header("content-type", "application/json")
            .header("idempotency-key", job.id().toString())
            .POST(BodyPublishers.ofByteArray(SubmissionBody.of(target, job, images)))
            .build();
    return switch (ask(request)) {
      case Answer.None none ->
          none.reached()
              ? new Submitted.Unknown(none.reason())
              : new Submitted.NotTaken(none.reason());
      case Answer.Got got when got.status() == 200 -> accepted(got);
      case Answer.Got got when isLater(got.status()) ->
          new Submitted.NotTaken("status " + got.status());
      case Answer.Got got when isVerdict(got.status()) -> {
        Refusal why = ProviderJson.refusal(got.body());
        yield new Submitted.Refused(why.code(), why.message());
      }
      case Answer.Got got -> new Submitted.Unknown("status " + got.status());
    };
  }

  private static Submitted accepted(Answer.Got got) {
    return switch (ProviderJson.seen(got.body())) {
      case Seen.Working working -> new Submitted.Accepted(working.providerJob());
      case Seen.Made made -> new Submitted.Accepted(made.providerJob());
      case Seen.Failed failed -> new Submitted.Accepted(failed.providerJob());
      case Seen.GivenUp gone -> new Submitted.Accepted(gone.providerJob());
      case Seen.Absent _ -> new Submitted.Unknown("absent");
      case Seen.Unknown unknown -> new Submitted.Unknown(unknown.reason());
    };
  }

  /** Asked again, it would say the same; timeouts, conflicts and limits are none. */
  private static boolean isVerdict(int status) {
    return status / 100 == 4 && status != 408 && status != 409 && status != 425 && status != 429;
  }

  /** It is not taken now; what a gateway between us says, as 502, is no such word. */
  private static boolean isLater(int status) {
    return status == 429 || status == 503;
  }

  @Override
  public Seen lookUp(MediaTarget target, ClaimedJob job) throws InterruptedException {
    return seen(to(target, "?idempotency_key=" + job.id()).GET().build());
  }

  @Override
  public Seen look(MediaTarget target, String providerJob) throws InterruptedException {
    return seen(to(target, path(providerJob)).GET().build());
  }

  private Seen seen(HttpRequest request) throws InterruptedException {
    return switch (ask(request)) {
      case Answer.None none -> new Seen.Unknown(none.reason());
      case Answer.Got got when got.status() == 200 -> ProviderJson.seen(got.body());
      case Answer.Got got when got.status() == 404 -> new Seen.Absent();
      case Answer.Got got -> new Seen.Unknown("status " + got.status());
    };
  }

  @Override
  public Canceled cancel(MediaTarget target, String providerJob) throws InterruptedException {
    return switch (ask(to(target, path(providerJob)).DELETE().build())) {
      case Answer.None none -> new Canceled.Unknown(none.reason());
      case Answer.Got got when got.status() / 100 == 2 -> new Canceled.Done();
      case Answer.Got got when got.status() == 404 -> new Canceled.Absent();
      case Answer.Got got when got.status() == 409 -> new Canceled.Refused();
      case Answer.Got got -> new Canceled.Unknown("status " + got.status());
    };
  }

  @Override
  public Fetched fetch(MediaTarget target, String providerJob, int n, Spool into)
      throws InterruptedException {
    HttpRequest request = to(target, path(providerJob) + "/files/" + n).GET().build();
    try {
      return sent(request, head -> fetching(head, into), times.file()).body();
    } catch (ExecutionException e) {
      return new Fetched.Unknown(String.valueOf(e.getCause()));
    } catch (TimeoutException e) {
      return new Fetched.Unknown("it took longer than " + times.file());
    }
  }

  private static HttpResponse.BodySubscriber<Fetched> fetching(ResponseInfo head, Spool into) {
    int status = head.statusCode();
    if (status == 200) {
      return new SpoolSubscriber(into, head.headers().firstValue("content-type").orElse(""));
    }
    Fetched other = status == 404 ? new Fetched.Absent() : new Fetched.Unknown("status " + status);
    return BodySubscribers.replacing(other);
  }

  // One call

  /** What came back. */
  private sealed interface Answer {
    @SuppressWarnings("ArrayRecordComponent") // read once, where it was made
    record Got(int status, byte[] body) implements Answer {}

    /**
     * Nothing did.
     *
     * @param reached whether the provider may have the request
     */
    record None(String reason, boolean reached) implements Answer {}
  }

  private HttpRequest.Builder to(MediaTarget target, String rest) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(target.base() + "/media/jobs" + rest));
    target.headers().forEach(request::header);
    target.key().ifPresent(key -> request.header("authorization", "Bearer " + key.reveal()));
    return request;
  }

  /** What providers call their jobs is not ours to trust with a path. */
  private static String path(String providerJob) {
    return "/" + URLEncoder.encode(providerJob, UTF_8);
  }

  private Answer ask(HttpRequest request) throws InterruptedException {
    BodyHandler<byte[]> whole = BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX);
    try {
      HttpResponse<byte[]> answer = sent(request, whole, times.answer());
      return new Answer.Got(answer.statusCode(), answer.body());
    } catch (ExecutionException e) {
      return new Answer.None(String.valueOf(e.getCause()), !isUnconnected(e.getCause()));
    } catch (TimeoutException e) {
      return new Answer.None("no answer within " + times.answer(), true);
    }
  }

  private static boolean isUnconnected(@Nullable Throwable cause) {
    return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
  }

  /** The client's own time limit ends with the head. */
  private <T> HttpResponse<T> sent(HttpRequest request, BodyHandler<T> handler, Duration within)
      throws InterruptedException, ExecutionException, TimeoutException {
    var reply = client.sendAsync(request, handler);
    try {
      return reply.get(within.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      reply.cancel(true); // without effect on one that is there
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
