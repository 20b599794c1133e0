package dev.tollgate.core.exchange.media;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobJson;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobRepository;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.SignedUrl;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Request task that answers a client's query or deletion of one media job. The reply is the same
 * for a job of another organization, of another kind, and for one that does not exist.
 */
public final class JobQuery extends JobTask {
  private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(4);
  private static final Duration DELETE_TIMEOUT = Duration.ofSeconds(15);
  static final Fault NOT_FOUND = Fault.of(ErrorCode.NOT_FOUND, "There is no such job.");
  static final Fault TOO_MANY_PENDING =
      Fault.of(
              ErrorCode.CONCURRENCY_EXCEEDED,
              "Too many of the organization's requests ask for jobs at once.")
          .withRetryAfter(1);
  private static final Fault NOT_CANCELLABLE =
      Fault.of(ErrorCode.JOB_NOT_CANCELLABLE, "The job cannot be canceled at this moment.");

  private final @Nullable JobKind kind;
  private final Action action;

  /** Operation on the job. */
  public enum Action {
    SHOW,
    DELETE
  }

  /**
   * @param kind null for any kind
   */
  public JobQuery(
      ExchangeContext context,
      ExchangeRequest request,
      Downstream downstream,
      @Nullable JobKind kind,
      Action action) {
    super(context, request, downstream);
    this.kind = kind;
    this.action = action;
  }

  @Override
  void work() {
    Optional<JobId> id = JobId.parse(request.argument());
    if (id.isEmpty() || context.media().jobs().isEmpty()) {
      refuse(NOT_FOUND, RequestOutcome.REJECTED);
      return;
    }
    JobRepository jobs = context.media().jobs().get().jobs();
    var org = request.key().org().id();
    switch (action) {
      case SHOW -> {
        startTimeout(QUERY_TIMEOUT);
        jobs.find(org, id.get(), loop.eventLoop(), loop.guarded(this::found));
      }
      case DELETE -> {
        startTimeout(DELETE_TIMEOUT);
        jobs.delete(org, kind, id.get(), loop.eventLoop(), loop.guarded(this::deleted));
      }
    }
  }

  @Override
  void release() {}

  private void found(JobRepository.FindResult found) {
    switch (found) {
      case JobRepository.FindResult.Present here when kind == null || here.job().kind() == kind ->
          show(here.job());
      case JobRepository.FindResult.Present _, JobRepository.FindResult.NotFound _ ->
          refuse(NOT_FOUND, RequestOutcome.REJECTED);
      case JobRepository.FindResult.TooManyPending _ ->
          refuse(TOO_MANY_PENDING, RequestOutcome.REJECTED);
      case JobRepository.FindResult.Unavailable unavailable -> unavailable(unavailable.reason());
    }
  }

  private void deleted(JobRepository.DeleteResult deleted) {
    switch (deleted) {
      case JobRepository.DeleteResult.Canceled canceled -> show(canceled.job());
      case JobRepository.DeleteResult.Removed _ ->
          end(() -> reply.answer(204, List.of(), null, null));
      case JobRepository.DeleteResult.NotCancellable _ ->
          refuse(NOT_CANCELLABLE, RequestOutcome.REJECTED);
      case JobRepository.DeleteResult.NotFound _ -> refuse(NOT_FOUND, RequestOutcome.REJECTED);
      case JobRepository.DeleteResult.TooManyPending _ ->
          refuse(TOO_MANY_PENDING, RequestOutcome.REJECTED);
      case JobRepository.DeleteResult.Unavailable unavailable -> unavailable(unavailable.reason());
    }
  }

  private void show(Job job) {
    JsonBytes json = JobJson.of(job, this::signed);
    end(() -> reply.answer(200, List.of(), json, null));
  }

  /** Returns an expired, empty URL if storage is no longer configured. */
  private SignedUrl signed(BlobName name) {
    return switch (context.media().outputs()) {
      case Outputs.Kept kept -> kept.blobs().url(name);
      case Outputs.Passed _ -> new SignedUrl("", context.providers().clock().instant());
    };
  }
}
