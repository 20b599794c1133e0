package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreTimeout;
import dev.tollgate.server.jobs.ProviderJson.ProviderError;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * HTTP client of media providers, which submits, polls and cancels jobs and downloads their files.
 * It calls configured URLs only: it uses no proxy and follows no redirect.
 */
public final class HttpMediaProvider implements MediaProvider, AutoCloseable {
  private static final int ANSWER_BYTES_MAX = 256 * 1024;

  private final MediaTimeouts timeouts;
  private final Function<BlobName, SignedUrl> images;
  private final HttpClient client;

  /** Timeouts for connecting, for a reply, and for the download of a file. */
  public record MediaTimeouts(Duration connect, Duration answer, Duration file) {
    public static final MediaTimeouts DEFAULT =
        new MediaTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(5));

    /** Returns the timeouts with a file timeout that suits the size limit of files. */
    public static MediaTimeouts forFileBytes(long fileBytes) {
      return new MediaTimeouts(
          DEFAULT.connect(), DEFAULT.answer(), StoreTimeout.of(DEFAULT.file(), fileBytes));
    }
  }

  /**
   * @param images signs URLs from which a provider can fetch the images of a job for a limited time
   */
  public HttpMediaProvider(MediaTimeouts timeouts, Function<BlobName, SignedUrl> images) {
    this.timeouts = timeouts;
    this.images = images;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(timeouts.connect())
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();
  }

  @Override
  public SubmissionResult submit(MediaTarget target, ClaimedJob job) throws InterruptedException {
    HttpRequest request =
        requestTo(target, "")
            .header("content-type", "application/json")
            .header("idempotency-key", job.id().toString())
            .POST(BodyPublishers.ofByteArray(SubmissionBody.of(target, job, images)))
            .build();
    return switch (send(request)) {
      case HttpResult.NoResponse none ->
          none.reached()
              ? new SubmissionResult.Unknown(none.reason())
              : new SubmissionResult.NotTaken(none.reason());
      case HttpResult.Response got when got.status() == 200 -> accepted(got);
      case HttpResult.Response got when isBusy(got.status()) ->
          new SubmissionResult.NotTaken("status " + got.status());
      case HttpResult.Response got when isFinalRefusal(got.status()) -> {
        ProviderError why = ProviderJson.readError(got.body());
        yield new SubmissionResult.Refused(
            redacted(why.code(), target), redacted(why.message(), target));
      }
      case HttpResult.Response got -> new SubmissionResult.Unknown("status " + got.status());
    };
  }

  private static SubmissionResult accepted(HttpResult.Response got) {
    return switch (ProviderJson.state(got.body())) {
      case ProviderJobState.InProgress working ->
          new SubmissionResult.Accepted(working.providerJob());
      case ProviderJobState.Succeeded made -> new SubmissionResult.Accepted(made.providerJob());
      case ProviderJobState.Failed failed -> new SubmissionResult.Accepted(failed.providerJob());
      case ProviderJobState.Aborted gone -> new SubmissionResult.Accepted(gone.providerJob());
      case ProviderJobState.Absent _ -> new SubmissionResult.Unknown("absent");
      case ProviderJobState.Unknown unknown -> new SubmissionResult.Unknown(unknown.reason());
    };
  }

  /**
   * True if a repetition would give the same reply; timeouts, conflicts and rate limits would not.
   */
  private static boolean isFinalRefusal(int status) {
    return status / 100 == 4 && status != 408 && status != 409 && status != 425 && status != 429;
  }

  /**
   * True if the provider refuses for now. A gateway's own status, such as 502, does not show that.
   */
  private static boolean isBusy(int status) {
    return status == 429 || status == 503;
  }

  @Override
  public ProviderJobState findSubmitted(MediaTarget target, ClaimedJob job)
      throws InterruptedException {
    return queryState(target, "?idempotency_key=" + job.id());
  }

  @Override
  public ProviderJobState query(MediaTarget target, String providerJob)
      throws InterruptedException {
    return queryState(target, path(providerJob));
  }

  private ProviderJobState queryState(MediaTarget target, String path) throws InterruptedException {
    return switch (send(requestTo(target, path).GET().build())) {
      case HttpResult.NoResponse none -> new ProviderJobState.Unknown(none.reason());
      case HttpResult.Response got when got.status() == 200 ->
          redacted(ProviderJson.state(got.body()), target);
      case HttpResult.Response got when got.status() == 404 -> new ProviderJobState.Absent();
      case HttpResult.Response got -> new ProviderJobState.Unknown("status " + got.status());
    };
  }

  private static ProviderJobState redacted(ProviderJobState state, MediaTarget target) {
    return state instanceof ProviderJobState.Failed failed
        ? new ProviderJobState.Failed(
            failed.providerJob(),
            redacted(failed.code(), target),
            redacted(failed.message(), target))
        : state;
  }

  /** Returns a provider's text without the credentials that it was sent. */
  private static String redacted(String text, MediaTarget target) {
    List<String> sent = new ArrayList<>(target.headers().values());
    target.key().ifPresent(key -> sent.add(key.reveal()));
    return Secret.redact(text, sent);
  }

  @Override
  public CancelResult cancel(MediaTarget target, String providerJob) throws InterruptedException {
    return switch (send(requestTo(target, path(providerJob)).DELETE().build())) {
      case HttpResult.NoResponse none -> new CancelResult.Unknown(none.reason());
      case HttpResult.Response got when got.status() / 100 == 2 -> new CancelResult.Done();
      case HttpResult.Response got when got.status() == 404 -> new CancelResult.Absent();
      case HttpResult.Response got when got.status() == 409 -> new CancelResult.Refused();
      case HttpResult.Response got -> new CancelResult.Unknown("status " + got.status());
    };
  }

  @Override
  public FileFetchResult fetch(MediaTarget target, String providerJob, int n, Spool into)
      throws InterruptedException {
    HttpRequest request = requestTo(target, path(providerJob) + "/files/" + n).GET().build();
    try {
      return sendWithin(request, head -> fetching(head, into), timeouts.file()).body();
    } catch (ExecutionException e) {
      return new FileFetchResult.Unknown(String.valueOf(e.getCause()));
    } catch (TimeoutException e) {
      return new FileFetchResult.Unknown("it took longer than " + timeouts.file());
    }
  }

  private static HttpResponse.BodySubscriber<FileFetchResult> fetching(
      ResponseInfo head, Spool into) {
    int status = head.statusCode();
    if (status == 200) {
      return new SpoolSubscriber(into, head.headers().firstValue("content-type").orElse(""));
    }
    FileFetchResult other =
        status == 404
            ? new FileFetchResult.Absent()
            : new FileFetchResult.Unknown("status " + status);
    return BodySubscribers.replacing(other);
  }

  // HTTP call

  /** Result of an HTTP call to the provider. */
  private sealed interface HttpResult {
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Response(int status, byte[] body) implements HttpResult {}

    /**
     * The call got no reply.
     *
     * @param reached true if the provider may have received the request
     */
    record NoResponse(String reason, boolean reached) implements HttpResult {}
  }

  private HttpRequest.Builder requestTo(MediaTarget target, String rest) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(target.base() + "/media/jobs" + rest));
    target.headers().forEach(request::header);
    target.key().ifPresent(key -> request.header("authorization", "Bearer " + key.reveal()));
    return request;
  }

  /** Encodes the provider's name of a job, which must not be trusted in a path. */
  private static String path(String providerJob) {
    return "/" + URLEncoder.encode(providerJob, UTF_8);
  }

  private HttpResult send(HttpRequest request) throws InterruptedException {
    BodyHandler<byte[]> whole = BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX);
    try {
      HttpResponse<byte[]> answer = sendWithin(request, whole, timeouts.answer());
      return new HttpResult.Response(answer.statusCode(), answer.body());
    } catch (ExecutionException e) {
      return new HttpResult.NoResponse(String.valueOf(e.getCause()), !isUnconnected(e.getCause()));
    } catch (TimeoutException e) {
      return new HttpResult.NoResponse("no answer within " + timeouts.answer(), true);
    }
  }

  private static boolean isUnconnected(@Nullable Throwable cause) {
    return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
  }

  /** The client's own timeout covers the head only, so the body needs this one. */
  private <T> HttpResponse<T> sendWithin(
      HttpRequest request, BodyHandler<T> handler, Duration within)
      throws InterruptedException, ExecutionException, TimeoutException {
    var reply = client.sendAsync(request, handler);
    try {
      return reply.get(within.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      reply.cancel(true); // no effect on a reply that has arrived
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
